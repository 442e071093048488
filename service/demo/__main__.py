"""`python -m service.demo`: the look-alike as a process of its own."""

from service.demo.server import main

if __name__ == "__main__":
    main()
