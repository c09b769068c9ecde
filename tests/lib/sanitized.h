// IS_SANITIZED is 1 in builds with AddressSanitizer. They take several times as long: tests that
// compare many numbers compare fewer of them there, and leave the others to builds without it.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_SANITIZED 0
#endif
