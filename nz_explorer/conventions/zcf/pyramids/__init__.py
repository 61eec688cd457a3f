"""ZCF: pyramids of the multiscales convention, and where spatial: and proj: say that their levels are."""
