// Rows of struct config_key from a table of keys, see engine/config.h. Included inside of an array's
// initialiser.
#define CONFIG_NUMBER(type, name, unit, least, most, initial, source, text)                        \
    {#name, type, unit, least, most, NULL, initial, source, text, offsetof(CONFIG_OF, name)},
#define CONFIG_UINT(name, ...) CONFIG_NUMBER(CONFIG_UINT, name, __VA_ARGS__)
#define CONFIG_REAL(name, ...) CONFIG_NUMBER(CONFIG_REAL, name, __VA_ARGS__)
#define CONFIG_LIST(name, ...) CONFIG_NUMBER(CONFIG_LIST, name, __VA_ARGS__)
#define CONFIG_BOOL(name, initial, source, text)                                                   \
    {#name, CONFIG_BOOL, "", 0, 0, NULL, initial, source, text, offsetof(CONFIG_OF, name)},
#define CONFIG_CHOICE(name, choices, initial, source, text)                                        \
    {#name, CONFIG_CHOICE, "", 0, 0, choices, initial, source, text, offsetof(CONFIG_OF, name)},
#include CONFIG_DEF
#undef CONFIG_NUMBER
#undef CONFIG_UINT
#undef CONFIG_REAL
#undef CONFIG_BOOL
#undef CONFIG_CHOICE
#undef CONFIG_LIST
#undef CONFIG_DEF
#undef CONFIG_OF
