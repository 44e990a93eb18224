import os
import threading
import time

started = False


def fork():
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)


def run_kernel(x, y, **_):
    global started
    y[:] = x + x
    if not started:
        started = True
        thread = threading.Thread(target=fork)
        thread.start()
        thread.join()
        time.sleep(0.2)
