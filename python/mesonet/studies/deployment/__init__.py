"""What happens while a new algorithm is deployed: the study `deployment-mix`."""
