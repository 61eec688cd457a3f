"""What answers the browser's requests: one function for each method, in a module for each subject."""
