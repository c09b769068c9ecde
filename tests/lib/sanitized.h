// Whether this is a build with AddressSanitizer. Such a build takes several times as long: tests
// that compare numbers at length compare fewer of them there, and leave the others to builds
// without.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#define IS_SANITIZED __has_feature(address_sanitizer)
#else
#define IS_SANITIZED 0
#endif
