"""``python -m nz_explorer.cli``."""

from nz_explorer.cli.main import main

if __name__ == "__main__":
    main()
