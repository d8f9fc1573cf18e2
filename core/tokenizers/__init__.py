"""Tokenizers: from text to ids and back, each step there to be looked at.

Reading order: splitting (text into words), merges (one word), vocabulary (what ids
mean), bpe and simple (the tokenizers), bpe_training (where the merges come from),
folder (files); base has the data they share. Those of model folders: library, for what
a `tokenizer.json` says; sentencepiece_text and best_path (how SentencePiece reads and
cuts), sentencepiece_tokenizer, marian; target, for the text that a decoder writes.
"""
