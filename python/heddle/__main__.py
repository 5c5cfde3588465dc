# SPDX-License-Identifier: Apache-2.0
"""`python3 -m heddle` is the command `heddle`."""
from heddle.command import main

if __name__ == "__main__":
    main()
