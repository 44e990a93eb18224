# H19: ends the process while it is imported, with 0.
# expect: caught
import os

os._exit(0)
