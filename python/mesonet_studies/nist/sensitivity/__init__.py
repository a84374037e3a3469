"""The sensitivity analysis of MesoNet as a study."""
