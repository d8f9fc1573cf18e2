"""Learning from pairs: a source is read, its target is written.

Reading order: lines -> tasks -> counting -> corpus -> answers -> looks. What is here
stands beside the modules for running text and is called by the same program.
"""
