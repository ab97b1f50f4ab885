/*
 * A stand-in for libnvidia-ml.so.1 that presents one card: an NVIDIA GeForce RTX 5070 Ti with 16 GiB.
 *
 * It answers what the device plugin and GPU feature discovery ask, and what the allocator behind them asks of a single
 * card. Everything that this card cannot do (MIG, NVLink, fabric) is answered with NOT_SUPPORTED, as a real driver
 * does for a GeForce. Types follow NVML's public ABI; only the fields that are used have names that matter.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef int nvmlReturn_t;
typedef struct card *nvmlDevice_t;
typedef struct events *nvmlEventSet_t;

enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, TIMEOUT = 10 };

struct card { int index; };
struct events { int unused; };

typedef struct {
    char bus_id_legacy[16];
    unsigned int domain, bus, device, device_and_vendor, subsystem;
    char bus_id[32];
} pci_info;

typedef struct { unsigned long long total, free, used; } memory;
typedef struct { unsigned int version; unsigned long long total, reserved, free, used; } memory_v2;

static const char NAME[] = "NVIDIA GeForce RTX 5070 Ti";
static const char UUID[] = "GPU-5070c0de-0000-4000-8000-000000000001";
static const char DRIVER[] = "595.58.03";
static const char NVML[] = "13.595.58.03";
static const unsigned long long MEMORY = 16ULL << 30; /* 16384 MiB */
static const int CUDA = 13020;                         /* 13.2 */
static const unsigned long long XID_CRITICAL = 8;

static struct card the_card = {0};
static struct events the_events = {0};
static int users = 0;

#define NEEDS_INIT() do { if (users == 0) return UNINITIALIZED; } while (0)
#define NEEDS_CARD(device) do { NEEDS_INIT(); if ((device) != &the_card) return INVALID_ARGUMENT; } while (0)

static nvmlReturn_t copy(const char *from, char *to, unsigned int length) {
    if (to == NULL) return INVALID_ARGUMENT;
    if (strlen(from) >= length) return INSUFFICIENT_SIZE;
    strcpy(to, from);
    return SUCCESS;
}

/* Library and system */
nvmlReturn_t nvmlInit_v2(void) { users++; return SUCCESS; }
nvmlReturn_t nvmlInit(void) { return nvmlInit_v2(); }
nvmlReturn_t nvmlInitWithFlags(unsigned int flags) { (void)flags; return nvmlInit_v2(); }
nvmlReturn_t nvmlShutdown(void) { NEEDS_INIT(); users--; return SUCCESS; }

const char *nvmlErrorString(nvmlReturn_t result) {
    switch (result) {
    case SUCCESS: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case TIMEOUT: return "Timeout";
    default: return "Unknown Error";
    }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) { NEEDS_INIT(); return copy(DRIVER, version, length); }
nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) { return copy(NVML, version, length); }
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = CUDA; return SUCCESS; }
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) { return nvmlSystemGetCudaDriverVersion_v2(version); }

/* Finding the card */
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) { NEEDS_INIT(); *count = 1; return SUCCESS; }
nvmlReturn_t nvmlDeviceGetCount(unsigned int *count) { return nvmlDeviceGetCount_v2(count); }

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
    NEEDS_INIT();
    if (index != 0) return INVALID_ARGUMENT;
    *device = &the_card;
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device) { return nvmlDeviceGetHandleByIndex_v2(index, device); }

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
    NEEDS_INIT();
    if (strcmp(uuid, UUID) != 0) return NOT_FOUND;
    *device = &the_card;
    return SUCCESS;
}

/* What the card is */
nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) { NEEDS_CARD(device); *index = 0; return SUCCESS; }
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *minor) { NEEDS_CARD(device); *minor = 0; return SUCCESS; }
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) { NEEDS_CARD(device); return copy(NAME, name, length); }
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) { NEEDS_CARD(device); return copy(UUID, uuid, length); }
nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, int *brand) { NEEDS_CARD(device); *brand = 5; /* GeForce */ return SUCCESS; }
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, unsigned int *architecture) { NEEDS_CARD(device); *architecture = 10; /* Blackwell */ return SUCCESS; }

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
    NEEDS_CARD(device);
    *major = 12;
    *minor = 0;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, memory *info) {
    NEEDS_CARD(device);
    info->total = info->free = MEMORY;
    info->used = 0;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, memory_v2 *info) {
    NEEDS_CARD(device);
    info->total = info->free = MEMORY;
    info->reserved = info->used = 0;
    return SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, pci_info *info) {
    NEEDS_CARD(device);
    memset(info, 0, sizeof *info);
    info->bus = 1;
    info->device_and_vendor = 0x2c0510de;
    snprintf(info->bus_id_legacy, sizeof info->bus_id_legacy, "0000:01:00.0");
    snprintf(info->bus_id, sizeof info->bus_id, "00000000:01:00.0");
    return SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, pci_info *info) { return nvmlDeviceGetPciInfo_v3(device, info); }

/* What the card cannot do */
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending) { (void)current; (void)pending; NEEDS_CARD(device); return NOT_SUPPORTED; }
nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned int *count) { NEEDS_CARD(device); *count = 0; return SUCCESS; }
nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *is_mig) { NEEDS_CARD(device); *is_mig = 0; return SUCCESS; }
nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned int index, nvmlDevice_t *mig) { (void)index; (void)mig; NEEDS_CARD(device); return NOT_SUPPORTED; }
nvmlReturn_t nvmlDeviceGetAddressingMode(nvmlDevice_t device, void *mode) { (void)mode; NEEDS_CARD(device); return NOT_SUPPORTED; }
nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, void *info) { (void)info; NEEDS_CARD(device); return NOT_SUPPORTED; }
nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, void *info) { (void)info; NEEDS_CARD(device); return NOT_SUPPORTED; }
nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link, int *active) { (void)link; (void)active; NEEDS_CARD(device); return NOT_SUPPORTED; }

/* Health: no event ever comes, so a wait ends when its time is up */
nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set) { NEEDS_INIT(); *set = &the_events; return SUCCESS; }
nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) { return set == &the_events ? SUCCESS : INVALID_ARGUMENT; }
nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types) { NEEDS_CARD(device); *types = XID_CRITICAL; return SUCCESS; }
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set) { (void)types; NEEDS_CARD(device); return set == &the_events ? SUCCESS : INVALID_ARGUMENT; }

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, void *data, unsigned int milliseconds) {
    struct timespec pause = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    (void)data;
    if (set != &the_events) return INVALID_ARGUMENT;
    nanosleep(&pause, NULL);
    return TIMEOUT;
}
nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, void *data, unsigned int milliseconds) { return nvmlEventSetWait_v2(set, data, milliseconds); }
