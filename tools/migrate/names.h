/* names.h: name resolution in a project. Scopes hold names, a name holds every binding of it (flow-insensitive: a
 * name is the union of its bindings), and a dotted expression resolves through imports and aliases to the library's
 * name. */
#ifndef TEN_MIGRATE_NAMES_H
#define TEN_MIGRATE_NAMES_H

#include "migrate/syntax.h"

typedef enum ten_bind_how {
  BIND_ASSIGN,   /* name = value */
  BIND_UNPACK,   /* a, name = value: `index` says which */
  BIND_AUG,      /* name += value */
  BIND_FOR,      /* for name in value; index is the position in the target, -1 for the whole */
  BIND_WITH,     /* with value as name */
  BIND_IMPORT,   /* import dotted [as name] */
  BIND_FROM,     /* from module import x [as name]: dotted is module.x */
  BIND_DEF,      /* def name: value is the function definition */
  BIND_CLASS,    /* class name: value is the class definition */
  BIND_PARAM,    /* a parameter; value is its default or NULL */
  BIND_ARGUMENT, /* the argument that a call in this project passes for the parameter */
  BIND_OTHER
} ten_bind_how;

typedef struct ten_py_file ten_py_file;
typedef struct ten_py_scope ten_py_scope;

typedef struct ten_py_binding {
  struct ten_py_binding *next;
  ten_py_node *value; /* the bound value, in value_file; may be NULL */
  ten_py_file *file;  /* the file that contains `value` */
  ten_py_node *site;  /* the identifier, parameter or statement that binds */
  ten_str dotted;     /* of an import */
  ten_bind_how how;
  int index;
} ten_py_binding;

typedef struct ten_py_name {
  struct ten_py_name *next; /* in its bucket */
  ten_str text;
  ten_py_binding *first, *last;
  uint32_t known; /* value kinds, memoized */
  bool computed, visiting, is_global;
} ten_py_name;

typedef struct ten_py_names {
  ten_py_name **buckets;
  uint32_t bucket_count, count;
} ten_py_names;

struct ten_py_scope {
  ten_py_scope *parent;
  ten_py_file *file;
  ten_py_node *node; /* module, class, function or lambda */
  ten_py_names names;
  ten_py_names attributes; /* of a class: self.x = … in any method, and x = … in the body */
};

struct ten_py_file {
  struct ten_project *project;
  char *path;           /* as given or found; owned by the project's arena */
  const char *relative; /* to the root it was found under */
  ten_str source;       /* the Python text that was parsed */
  ten_py_tree tree;
  ten_py_scope *scope; /* of the module */
  ten_arena *arena;
  bool uses_torch;      /* imports torch or a library built on it */
  bool marked;          /* scratch for following imports */
  bool starred;         /* its star imports are bound */
  ten_py_file *program; /* union-find over imports: files of one program share a root */
};

typedef struct ten_project {
  ten_arena *arena;
  TEN_VEC(ten_py_file *) files; /* that parsed */
  ten_py_names attributes;      /* x in anything.x = … where anything is not self: args, opt, config */
  ten_py_names by_path;         /* paths without .py, for imports */
  int depth;                    /* of the evaluation in values.c: deeper nesting counts as unknown */
} ten_project;

/* Builds scopes and bindings of one file and adds it to the project; after the last, ten_project_link. */
void ten_project_add(ten_project *project, ten_py_file *file);
/* Binds arguments to parameters and determines which files use PyTorch. */
void ten_project_link(ten_project *project);
void ten_project_free(ten_project *project);
/* Whether two files belong to one program: imports connect them. A tree may hold many programs. */
bool ten_same_program(ten_py_file *a, ten_py_file *b);

/* For link.c and names.c only: the walk that fills the scopes of one file, and one more binding of a name. */
void ten_file_bind(ten_py_file *file);
void ten_name_bind(ten_py_file *file, ten_py_name *name, ten_bind_how how, ten_py_node *site, ten_py_node *value,
                   int index);

ten_py_name *ten_py_names_find(const ten_py_names *names, ten_str text);
ten_py_name *ten_py_names_get(ten_arena *arena, ten_py_names *names, ten_str text);

ten_py_scope *ten_scope_at(const ten_py_file *file, const ten_py_node *node);
/* The name an identifier refers to at `node`, by Python's scope rules; NULL when nothing in the file binds it. */
ten_py_name *ten_name_lookup(const ten_py_file *file, const ten_py_node *node, ten_str text);
/* `torch` in torch.x where nothing in the file binds it: a star import from outside the project provides it. */
bool ten_is_unbound_torch(const ten_py_file *file, const ten_py_node *node);
bool ten_scope_binds(const ten_py_file *file, ten_str text); /* anywhere in the file */

/* The library's name of an expression made of names and dots ("torch.cuda.is_available"), written to `out`; false when
 * it does not start at an import. */
enum { TEN_DOTTED_MAX = 192 };
bool ten_dotted(const ten_py_file *file, const ten_py_node *node, char out[TEN_DOTTED_MAX]);
bool ten_dotted_is(const ten_py_file *file, const ten_py_node *node, const char *dotted);

/* The project's module-level name behind an imported dotted name, through re-exports; NULL when it is
 * external. */
ten_py_name *ten_import_target(const ten_py_file *from, ten_str dotted, ten_py_file **out_file);
/* The definition (function or class) in the project that `node`, a callee, refers to; *out_file is its file. */
ten_py_node *ten_definition_of(ten_py_file *file, ten_py_node *node, ten_py_file **out_file);
/* The class definition that encloses `node`, or NULL. */
ten_py_node *ten_class_around(const ten_py_node *node);
/* self.x: the attribute's name entry in the class around `node` (or a base class in the project), or NULL. */
ten_py_name *ten_self_attribute(ten_py_file *file, ten_py_node *node);

/* Arguments of a call: positional by index, or by keyword; NULL when absent. Splats end the positional ones. */
ten_py_node *ten_call_argument(const ten_py_file *file, const ten_py_node *call, int index, const char *keyword);
ten_py_node *ten_call_keyword(const ten_py_file *file, const ten_py_node *call,
                              const char *keyword); /* the whole `k=v` node */

#endif
