"""The experiments of NIST SP 500-282 as studies."""
