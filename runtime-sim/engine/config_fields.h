// Members of a struct from a table of keys, see engine/config.h. Included inside of a struct.
#define CONFIG_UINT(name, unit, least, most, initial, source, text) uint64_t name;
#define CONFIG_REAL(name, unit, least, most, initial, source, text) double name;
#define CONFIG_BOOL(name, initial, source, text) bool name;
#define CONFIG_CHOICE(name, choices, initial, source, text) int name;
#define CONFIG_LIST(name, unit, least, most, initial, source, text) struct config_list name;
#include CONFIG_DEF
#undef CONFIG_UINT
#undef CONFIG_REAL
#undef CONFIG_BOOL
#undef CONFIG_CHOICE
#undef CONFIG_LIST
#undef CONFIG_DEF
