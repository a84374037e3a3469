"""Records of queues."""
