"""What goes on while nobody waits for it: scans of all values, trials of readers, reading ahead."""
