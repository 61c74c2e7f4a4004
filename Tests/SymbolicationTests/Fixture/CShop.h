#pragma once

/// Calls `visit` for each number below `count`.
void shop_each(int count, void (*visit)(int, void *), void *context);

/// A checksum through a function that is inlined twice.
int shop_checksum(const char *text, int length);
