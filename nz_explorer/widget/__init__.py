"""The explorer in the notebook: the widget, its session and the messages between them."""
