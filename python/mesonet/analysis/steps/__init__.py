"""The ten steps."""
