"""Text for people: plurals, articles and lists, and strangers' text made safe to show."""
