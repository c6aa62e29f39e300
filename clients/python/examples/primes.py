"""A hundred thousand short calls as a few hundred actions: python3 primes.py"""

import math

import yardmaster


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


if __name__ == "__main__":
    with yardmaster.Executor(label="primes") as executor:
        print(sum(executor.map(is_prime, range(100_000))), "primes below 100,000")
