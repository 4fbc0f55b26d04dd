#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a model must beat: characters predicted from the ORDER before them, interpolated by Witten and Bell (1991).

baseline.py FILE [ORDER…]: counts on the first 80 % of the text, prints the perplexity per character of the last 10 %.
"""
import gzip
import math
import sys
from collections import Counter, defaultdict


def counts(text, order):
    """contexts[context][next character], for contexts of 0 to `order` characters."""
    contexts = defaultdict(Counter)
    for end in range(len(text)):
        for length in range(min(order, end) + 1):
            contexts[text[end - length:end]][text[end]] += 1
    return contexts


def probability(contexts, context, character, alphabet):
    """P(c | context) = (n(context, c) + types * P(c | shorter context)) / (n(context) + types)."""
    p = 1 / alphabet
    for length in range(len(context) + 1):
        seen = contexts.get(context[len(context) - length:])
        if seen is None:
            break
        types = len(seen)
        p = (seen[character] + types * p) / (seen.total() + types)
    return p


def perplexity(text, order):
    train, test = text[:len(text) * 8 // 10], text[len(text) * 9 // 10:]
    contexts = counts(train, order)
    alphabet = len(set(text))
    bits = [math.log(probability(contexts, test[max(0, i - order):i], test[i], alphabet)) for i in range(len(test))]
    return math.exp(-sum(bits) / len(bits))


def main():
    text = gzip.open(sys.argv[1], "rt").read()
    for order in [int(word) for word in sys.argv[2:]] or [5]:
        print(f"order {order}: perplexity {perplexity(text, order):.3f} per character")


main()
