"""What `kaiju bench` measures: ratios in one run, never seconds across machines."""
