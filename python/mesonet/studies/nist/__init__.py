"""The experiments of NIST SP 500-282."""
