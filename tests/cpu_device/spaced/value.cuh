#define VALUE 41
#define EXPECTED 41
