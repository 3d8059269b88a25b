// tests/precompiled.cc -- no code: the headers that all test programs include are compiled with it, once.
