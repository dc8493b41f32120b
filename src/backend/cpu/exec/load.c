/* load.c: a linker for the generated objects: ELF, relocatable, position independent, one per program. Sections share
 * one mapping: code, with a stub for each external function that it calls (which may be out of branch range), then data
 * and a table of addresses. Code is executable and read-only, the rest is not executable.
 *
 * Sections, symbols and relocations are checked against the file's size before use. Kinds of relocations that LLVM does
 * not emit for our code are rejected by number. */
#include "backend/cpu/exec/load.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend/cpu/rt/rt.h"
#include "base/arena.h"
#include "base/size.h"

struct ten_loaded {
  char *memory; /* mapped */
  size_t size;
};

enum { STUB = 16, SLOT = 8 };

typedef struct linker {
  const char *file;
  size_t size;
  const Elf64_Ehdr *header;
  const Elf64_Shdr *sections;
  const Elf64_Sym *symbols;
  size_t symbol_count;
  const char *strings;
  size_t string_size;
  size_t *offsets;                /* owned: offset of each section in memory, SIZE_MAX: not loaded */
  void **outside;                 /* owned: addresses of external symbols */
  size_t stubs, data, slots, all; /* start of each part in memory; `stubs` after the code */
  bool writes;                    /* some data is writable */
  char *memory;
} linker;

static ten_status *damaged(const char *what) { return ten_error(TEN_INVALID, "object code: %s", what); }

static const void *part(const linker *l, uint64_t at, uint64_t size) {
  return at <= l->size && size <= l->size - at ? l->file + at : NULL;
}

static const Elf64_Shdr *find_section(const linker *l, uint32_t type) {
  for (size_t i = 0; i < l->header->e_shnum; i++)
    if (l->sections[i].sh_type == type) return &l->sections[i];
  return NULL;
}

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

bool ten_object_is_foreign(const void *object, size_t size) {
  const Elf64_Ehdr *header = object;
  return size >= sizeof *header && !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_machine != MACHINE;
}

static ten_status *open_object(linker *l) {
  l->header = part(l, 0, sizeof *l->header);
  if (!l->header || memcmp(l->header->e_ident, ELFMAG, SELFMAG) || l->header->e_ident[EI_CLASS] != ELFCLASS64)
    return damaged("not an object file");
  if (l->header->e_type != ET_REL || l->header->e_machine != MACHINE) return damaged("for another machine");
  l->sections = part(l, l->header->e_shoff, (uint64_t)l->header->e_shnum * sizeof *l->sections);
  if (!l->sections || l->header->e_shentsize != sizeof *l->sections || (uintptr_t)l->sections % 8)
    return damaged("sections");
  const Elf64_Shdr *symbols = find_section(l, SHT_SYMTAB);
  if (!symbols || symbols->sh_entsize != sizeof *l->symbols || symbols->sh_link >= l->header->e_shnum)
    return damaged("symbols");
  const Elf64_Shdr *strings = &l->sections[symbols->sh_link];
  l->symbols = part(l, symbols->sh_offset, symbols->sh_size);
  l->symbol_count = symbols->sh_size / sizeof *l->symbols;
  l->strings = part(l, strings->sh_offset, strings->sh_size);
  l->string_size = strings->sh_size;
  if (!l->symbols || (uintptr_t)l->symbols % 8) return damaged("symbols");
  return l->strings && l->string_size && !l->strings[l->string_size - 1] ? NULL : damaged("strings");
}

static const char *name_of(const linker *l, const Elf64_Sym *symbol) {
  return symbol->st_name < l->string_size ? l->strings + symbol->st_name : "";
}

static bool is_outside(const Elf64_Sym *symbol) { return symbol->st_shndx == SHN_UNDEF && symbol->st_name; }

/* Omits unwind tables: no exceptions pass through this code. */
static bool is_wanted(const linker *l, const Elf64_Shdr *section) {
  if (!(section->sh_flags & SHF_ALLOC)) return false;
  if (section->sh_type == SHT_NOBITS) return true;
  const Elf64_Shdr *names = l->header->e_shstrndx < l->header->e_shnum ? &l->sections[l->header->e_shstrndx] : NULL;
  static const char unwinding[] = ".eh_frame";
  const char *name = names && section->sh_name < names->sh_size && names->sh_size - section->sh_name >= sizeof unwinding
                         ? part(l, names->sh_offset + section->sh_name, sizeof unwinding)
                         : NULL;
  return section->sh_type == SHT_PROGBITS && !(name && !memcmp(name, unwinding, sizeof unwinding));
}

static bool place(size_t *at, size_t size, size_t align) {
  if (!align) align = 1;
  return align <= 1 << 16 && !(align & (align - 1)) && ten_add(*at, align - 1, at) &&
         (*at &= ~(align - 1), ten_add(*at, size, at));
}

static bool place_sections(linker *l, bool code, size_t *at) {
  for (size_t i = 0; i < l->header->e_shnum; i++) {
    const Elf64_Shdr *section = &l->sections[i];
    if (!is_wanted(l, section) || !!(section->sh_flags & SHF_EXECINSTR) != code) continue;
    if (section->sh_type != SHT_NOBITS && !part(l, section->sh_offset, section->sh_size)) return false;
    if (!place(at, section->sh_size, section->sh_addralign)) return false;
    l->offsets[i] = *at - section->sh_size;
    if (!code) l->writes |= section->sh_flags & SHF_WRITE;
  }
  return true;
}

static ten_status *lay_out(linker *l) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  l->offsets = ten_alloc((l->header->e_shnum + 1u) * sizeof *l->offsets);
  for (size_t i = 0; i < l->header->e_shnum; i++) l->offsets[i] = SIZE_MAX;
  size_t at = 0;
  bool good = place_sections(l, true, &at) && place(&at, 0, STUB);
  l->stubs = at;
  good = good && place(&at, l->symbol_count * STUB, STUB) && place(&at, 0, page);
  l->data = at;
  good = good && place_sections(l, false, &at) && place(&at, 0, SLOT);
  l->slots = at;
  good = good && place(&at, l->symbol_count * SLOT, SLOT) && place(&at, 0, page);
  l->all = at;
  if (!good) return damaged("sections");
  void *memory = mmap(NULL, l->all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return ten_error(TEN_LIMIT, "out of memory: %zu bytes could not be allocated for code", l->all);
  l->memory = memory;
  for (size_t i = 0; i < l->header->e_shnum; i++)
    if (l->offsets[i] != SIZE_MAX && l->sections[i].sh_type != SHT_NOBITS)
      memcpy(l->memory + l->offsets[i], l->file + l->sections[i].sh_offset, l->sections[i].sh_size);
  return NULL;
}

/* The runtime's own functions, then those that LLVM may call: memcpy etc. */
static ten_status *find_outside(const char *name, void **out_address) {
  for (size_t i = 0; ten_cpu_symbols[i].name; i++)
    if (!strcmp(ten_cpu_symbols[i].name, name)) {
      *out_address = (void *)(uintptr_t)ten_cpu_symbols[i].address;
      return NULL;
    }
  *out_address = dlsym(RTLD_DEFAULT, name);
  return *out_address ? NULL : ten_error(TEN_INTERNAL, "object code refers to the unknown symbol %s", name);
}

static void make_stub(char *at, const void *address) {
#if defined(__x86_64__)
  static const unsigned char jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x90, 0x90}; /* jmp *2(%rip) */
#else
  static const uint32_t jump[2] = {0x58000050, 0xd61f0200}; /* ldr x16, 8; br x16 */
#endif
  memcpy(at, jump, sizeof jump);
  memcpy(at + 8, &address, sizeof address);
}

/* A symbol's address; for an external function, its stub. */
static ten_status *address_of(const linker *l, size_t index, char **out_address) {
  if (index >= l->symbol_count) return damaged("a symbol");
  const Elf64_Sym *symbol = &l->symbols[index];
  if (symbol->st_shndx == SHN_UNDEF) {
    *out_address = l->memory + l->stubs + index * STUB;
    return NULL;
  }
  if (symbol->st_shndx >= l->header->e_shnum || l->offsets[symbol->st_shndx] == SIZE_MAX ||
      symbol->st_value > l->sections[symbol->st_shndx].sh_size)
    return damaged("a symbol");
  *out_address = l->memory + l->offsets[symbol->st_shndx] + symbol->st_value;
  return NULL;
}

static ten_status *fill_outside(linker *l) {
  l->outside = ten_alloc((l->symbol_count + 1) * sizeof *l->outside);
  memset(l->outside, 0, (l->symbol_count + 1) * sizeof *l->outside);
  for (size_t i = 0; i < l->symbol_count; i++) {
    if (!is_outside(&l->symbols[i])) continue;
    TEN_TRY(find_outside(name_of(l, &l->symbols[i]), &l->outside[i]));
    make_stub(l->memory + l->stubs + i * STUB, l->outside[i]);
  }
  return NULL;
}

/* Fills the symbol's slot in the table of addresses. */
static char *slot_of(const linker *l, size_t index, char *address) {
  char *slot = l->memory + l->slots + index * SLOT;
  if (l->outside[index]) address = l->outside[index];
  memcpy(slot, &address, sizeof address);
  return slot;
}

static bool put32(char *at, int64_t value) {
  const int32_t low = (int32_t)value;
  memcpy(at, &low, sizeof low);
  return low == value;
}
static bool put64(char *at, int64_t value) {
  memcpy(at, &value, sizeof value);
  return true;
}
static int64_t number_of(const void *address) { return (int64_t)(uintptr_t)address; }

#if defined(__x86_64__)
enum { WIDE = 8, GOTPCRELX = 41, REX_GOTPCRELX = 42 };
static bool is_wide(uint32_t type) { return type == R_X86_64_64 || type == R_X86_64_PC64; }
/* False: out of range, or an unknown kind. */
static bool apply(const linker *l, uint32_t type, size_t symbol, char *at, char *s, int32_t addend) {
  const int64_t apart = number_of(s) + addend - number_of(at);
  switch (type) {
    case R_X86_64_64: return put64(at, number_of(l->outside[symbol] ? l->outside[symbol] : s) + addend);
    case R_X86_64_PC64: return put64(at, apart);
    case R_X86_64_PC32:
    case R_X86_64_PLT32: return put32(at, apart);
    case R_X86_64_GOTPCREL:
    case GOTPCRELX:
    case REX_GOTPCRELX: return put32(at, number_of(slot_of(l, symbol, s)) + addend - number_of(at));
    default: return false;
  }
}
#else
static bool is_wide(uint32_t type) { return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64; }

/* Stores `bits` of value >> shift in the instruction from bit `to` on. */
static bool put_bits(char *at, int64_t value, unsigned shift, unsigned bits, unsigned to, bool checked) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  const int64_t field = value >> shift;
  const uint32_t mask = (uint32_t)((1ull << bits) - 1);
  word = (word & ~(mask << to)) | ((uint32_t)field & mask) << to;
  memcpy(at, &word, sizeof word);
  return !checked || (field >= -(1ll << (bits - 1)) && field < 1ll << (bits - 1) && !(value & ((1ll << shift) - 1)));
}

/* adr and adrp: the lowest two bits are a separate field. */
static bool put_adr(char *at, int64_t value) {
  put_bits(at, value, 0, 2, 29, false);
  return put_bits(at, value & ~3ll, 2, 19, 5, true);
}

static int64_t page_of(int64_t address) { return address & ~4095ll; }
static int64_t low_of(int64_t address) { return address & 4095; }

static bool apply(const linker *l, uint32_t type, size_t symbol, char *at, char *s, int32_t addend) {
  const int64_t target = number_of(s) + addend, here = number_of(at), apart = target - here;
  switch (type) {
    case R_AARCH64_ABS64: return put64(at, number_of(l->outside[symbol] ? l->outside[symbol] : s) + addend);
    case R_AARCH64_PREL64: return put64(at, apart);
    case R_AARCH64_PREL32: return put32(at, apart);
    case R_AARCH64_LD_PREL_LO19:
    case R_AARCH64_CONDBR19: return put_bits(at, apart, 2, 19, 5, true);
    case R_AARCH64_TSTBR14: return put_bits(at, apart, 2, 14, 5, true);
    case R_AARCH64_ADR_PREL_LO21: return put_adr(at, apart);
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_PREL_PG_HI21_NC: return put_adr(at, (page_of(target) - page_of(here)) / 4096);
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26: return put_bits(at, apart, 2, 26, 0, true);
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return put_bits(at, low_of(target), 0, 12, 10, false);
    case R_AARCH64_LDST16_ABS_LO12_NC: return put_bits(at, low_of(target), 1, 11, 10, false);
    case R_AARCH64_LDST32_ABS_LO12_NC: return put_bits(at, low_of(target), 2, 10, 10, false);
    case R_AARCH64_LDST64_ABS_LO12_NC: return put_bits(at, low_of(target), 3, 9, 10, false);
    case R_AARCH64_LDST128_ABS_LO12_NC: return put_bits(at, low_of(target), 4, 8, 10, false);
    case R_AARCH64_ADR_GOT_PAGE: return put_adr(at, (page_of(number_of(slot_of(l, symbol, s))) - page_of(here)) / 4096);
    case R_AARCH64_LD64_GOT_LO12_NC: return put_bits(at, low_of(number_of(slot_of(l, symbol, s))), 3, 9, 10, false);
    default: return false;
  }
}
#endif

static ten_status *relocate_section(linker *l, const Elf64_Shdr *list) {
  const Elf64_Rela *entries = part(l, list->sh_offset, list->sh_size);
  if (!entries || (uintptr_t)entries % 8 || list->sh_info >= l->header->e_shnum) return damaged("relocations");
  if (l->offsets[list->sh_info] == SIZE_MAX) return NULL;
  char *base = l->memory + l->offsets[list->sh_info];
  const uint64_t size = l->sections[list->sh_info].sh_size;
  for (size_t i = 0; i < list->sh_size / sizeof *entries; i++) {
    const uint32_t type = (uint32_t)ELF64_R_TYPE(entries[i].r_info);
    const size_t symbol = ELF64_R_SYM(entries[i].r_info), width = is_wide(type) ? 8 : 4;
    const int32_t addend = (int32_t)entries[i].r_addend;
    if (entries[i].r_offset > size || size - entries[i].r_offset < width || addend != entries[i].r_addend)
      return damaged("a relocation");
    char *address = NULL;
    TEN_TRY(address_of(l, symbol, &address));
    if (!apply(l, type, symbol, base + entries[i].r_offset, address, addend))
      return ten_error(TEN_INTERNAL, "object code: relocation %u of %s is not supported or out of range", type,
                       name_of(l, &l->symbols[symbol]));
  }
  return NULL;
}

static ten_status *find_kernels(const linker *l, uint32_t count, void **addresses) {
  static const char prefix[] = TEN_KERNEL_PREFIX;
  memset(addresses, 0, count * sizeof *addresses);
  for (size_t i = 0; i < l->symbol_count; i++) {
    const char *name = name_of(l, &l->symbols[i]);
    if (l->symbols[i].st_shndx == SHN_UNDEF || strncmp(name, prefix, sizeof prefix - 1)) continue;
    const unsigned long number = strtoul(name + sizeof prefix - 1, NULL, 10);
    if (number >= count) continue;
    char *address = NULL;
    TEN_TRY(address_of(l, i, &address));
    addresses[number] = address;
  }
  return NULL;
}

static ten_status *protect(const linker *l) {
  __builtin___clear_cache(l->memory, l->memory + l->data);
  const bool good = (!l->data || !mprotect(l->memory, l->data, PROT_READ | PROT_EXEC)) &&
                    (l->writes || l->all == l->data || !mprotect(l->memory + l->data, l->all - l->data, PROT_READ));
  return good ? NULL : ten_error(TEN_UNSUPPORTED, "this system does not allow generated code to be executed");
}

ten_status *ten_loaded_create(const void *object, size_t size, uint32_t count, void **addresses,
                              ten_loaded **out_code) {
  TEN_TRY(ten_loaded_create_some(object, size, count, addresses, out_code));
  for (uint32_t i = 0; i < count; i++) {
    if (addresses[i]) continue;
    ten_loaded_destroy(*out_code);
    *out_code = NULL;
    return damaged("a function is missing");
  }
  return NULL;
}

ten_status *ten_loaded_create_some(const void *object, size_t size, uint32_t count, void **addresses,
                                   ten_loaded **out_code) {
  *out_code = NULL;
  linker l = {.file = object, .size = size};
  ten_status *status = open_object(&l);
  if (!status) status = lay_out(&l);
  if (!status) status = fill_outside(&l);
  for (size_t i = 0; !status && i < l.header->e_shnum; i++)
    if (l.sections[i].sh_type == SHT_RELA) status = relocate_section(&l, &l.sections[i]);
  if (!status) status = find_kernels(&l, count, addresses);
  if (!status) status = protect(&l);
  free(l.offsets);
  free(l.outside);
  if (status) {
    if (l.memory) munmap(l.memory, l.all);
    return status;
  }
  ten_loaded *code = ten_alloc(sizeof *code);
  *code = (ten_loaded){l.memory, l.all};
  *out_code = code;
  return NULL;
}

void ten_loaded_destroy(ten_loaded *code) {
  if (!code) return;
  munmap(code->memory, code->size);
  free(code);
}
