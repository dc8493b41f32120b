/* elf.c: wraps data in an ELF object file: a section, a symbol for it, and their name tables. Weights of any size
 * reach the linker without an assembler. */
#include "backend/cpu/export/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"

enum { PAGE = 4096 };
enum { DATA = 1, SYMBOLS, STRINGS, NAMES, STACK, SECTIONS };

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_NONE };
#endif

static const char names[] = "\0.rodata.model\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack";
enum { NAME_DATA = 1, NAME_SYMBOLS = 15, NAME_STRINGS = 23, NAME_NAMES = 31, NAME_STACK = 41 };

static void pad(ten_buf *out, size_t base, size_t to) {
  while ((base + out->size) % to) ten_buf_addc(out, 0);
}

static Elf64_Ehdr header_of(void) {
  Elf64_Ehdr header = {.e_type = ET_REL,
                       .e_machine = MACHINE,
                       .e_version = EV_CURRENT,
                       .e_ehsize = sizeof(Elf64_Ehdr),
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = SECTIONS,
                       .e_shstrndx = NAMES};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  return header;
}

/* What follows `size` bytes of data: symbols, names, and the section table, whose offset it returns. */
static size_t add_back(const char *symbol, size_t size, ten_buf *back) {
  Elf64_Shdr sections[SECTIONS] = {{0}};
  sections[DATA] = (Elf64_Shdr){.sh_name = NAME_DATA,
                                .sh_type = SHT_PROGBITS,
                                .sh_flags = SHF_ALLOC,
                                .sh_offset = PAGE,
                                .sh_size = size,
                                .sh_addralign = PAGE};
  const size_t base = PAGE + size;
  pad(back, base, 16);
  const Elf64_Sym symbols[2] = {{0},
                                {.st_name = 1,
                                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                                 .st_other = STV_HIDDEN,
                                 .st_shndx = DATA,
                                 .st_size = size}};
  sections[SYMBOLS] = (Elf64_Shdr){.sh_name = NAME_SYMBOLS,
                                   .sh_type = SHT_SYMTAB,
                                   .sh_offset = base + back->size,
                                   .sh_size = sizeof symbols,
                                   .sh_link = STRINGS,
                                   .sh_info = 1,
                                   .sh_addralign = 8,
                                   .sh_entsize = sizeof *symbols};
  ten_buf_add(back, symbols, sizeof symbols);
  sections[STRINGS] = (Elf64_Shdr){.sh_name = NAME_STRINGS,
                                   .sh_type = SHT_STRTAB,
                                   .sh_offset = base + back->size,
                                   .sh_size = strlen(symbol) + 2,
                                   .sh_addralign = 1};
  ten_buf_addc(back, 0);
  ten_buf_add(back, symbol, strlen(symbol) + 1);
  sections[NAMES] = (Elf64_Shdr){.sh_name = NAME_NAMES,
                                 .sh_type = SHT_STRTAB,
                                 .sh_offset = base + back->size,
                                 .sh_size = sizeof names,
                                 .sh_addralign = 1};
  ten_buf_add(back, names, sizeof names);
  sections[STACK] = (Elf64_Shdr){.sh_name = NAME_STACK, .sh_type = SHT_PROGBITS, .sh_addralign = 1};
  pad(back, base, 8);
  const size_t at = base + back->size;
  ten_buf_add(back, sections, sizeof sections);
  return at;
}

ten_status *ten_elf_write(const char *path, const char *symbol, const ten_str *parts, size_t count) {
  if (MACHINE == EM_NONE) return ten_error(TEN_UNSUPPORTED, "object files are written for x86_64 and aarch64 only");
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += parts[i].size;
  ten_buf front = {0}, back = {0}; /* the file: front, the parts, back */
  Elf64_Ehdr header = header_of();
  header.e_shoff = add_back(symbol, size, &back);
  ten_buf_add(&front, &header, sizeof header);
  pad(&front, 0, PAGE);

  ten_str *all = ten_alloc((count + 2) * sizeof *all);
  all[0] = (ten_str){front.data, front.size};
  if (count) memcpy(all + 1, parts, count * sizeof *parts);
  all[count + 1] = (ten_str){back.data, back.size};
  ten_status *status = ten_file_write_parts(path, all, count + 2);
  free(all);
  ten_buf_free(&front);
  ten_buf_free(&back);
  return status;
}
