/* rule_shapes.c: notes about recompilation and host execution. Nothing here edits: the answer depends on the
 * data. */
#include "migrate/rule.h"

typedef struct op_note {
  const char *name; /* function of torch or method of a tensor */
  ten_note_kind kind;
  const char *text;
} op_note;

static const op_note op_notes[] = {
    {"nonzero", TEN_NOTE_RECOMPILE,
     "the result's size depends on the data; use torch.where(mask, x, 0) or a mask multiplied in, which keep the shape"},
    {"argwhere", TEN_NOTE_RECOMPILE, "the result's size depends on the data; keep the mask instead of the indices"},
    {"masked_select", TEN_NOTE_RECOMPILE,
     "the result's size depends on the data; torch.where(mask, x, 0).sum() / mask.sum() gives masked means with a fixed shape"},
    {"unique", TEN_NOTE_RECOMPILE,
     "the result's size depends on the data; do it on the host, or use torch.bincount with minlength"},
    {"unique_consecutive", TEN_NOTE_RECOMPILE, "the result's size depends on the data; do it on the host"},
    {"repeat_interleave", TEN_NOTE_RECOMPILE,
     "with a tensor of repeats the size depends on the data; pass output_size"},
    {"pad_sequence", TEN_NOTE_RECOMPILE,
     "each batch has the length of its longest row; round it up to a bucket: F.pad(x, (0, -x.size(1) % 64))"},
    {"pack_padded_sequence", TEN_NOTE_RECOMPILE,
     "packed lengths depend on the data; run the padded batch and mask the outputs"},
    {"multinomial", TEN_NOTE_INFO,
     "fixed shape, but it reads the generator on the device: a run differs from CUDA's for the same seed"},
    {"bincount", TEN_NOTE_RECOMPILE, "without minlength the size depends on the data"},
    {"eig", TEN_NOTE_FALLBACK, "runs on the host: copies there and back each time"},
    {"eigvals", TEN_NOTE_FALLBACK, "runs on the host: copies there and back each time"},
    {"lstsq", TEN_NOTE_FALLBACK, "runs on the host: copies there and back each time"},
    {"histc", TEN_NOTE_FALLBACK, "runs on the host: copies there and back each time"},
    {"ctc_loss", TEN_NOTE_FALLBACK, "has no lowering: runs on the host, with its gradient"},
    {"grid_sample", TEN_NOTE_FALLBACK, "3-D and some modes have no lowering and run on the host"},
    {"sparse_coo_tensor", TEN_NOTE_HUMAN,
     "sparse tensors do not exist on an XLA device; use the dense tensor, or gather and scatter_add"},
    {"to_sparse", TEN_NOTE_HUMAN,
     "sparse tensors do not exist on an XLA device; use the dense tensor, or gather and scatter_add"},
    {"sparse_csr_tensor", TEN_NOTE_HUMAN,
     "sparse tensors do not exist on an XLA device; use the dense tensor, or gather and scatter_add"},
};

static void shape_of_data(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION);
  if (!callee) return;
  char dotted[TEN_DOTTED_MAX];
  const char *last = NULL;
  ten_str method = {"", 0};
  if (ten_dotted(rw->file, callee, dotted)) {
    if (strncmp(dotted, "torch.", 6)) return;
    last = strrchr(dotted, '.') + 1;
    if (!strcmp(dotted, "torch.where") && !ten_call_argument(rw->file, call, 1, "input")) last = "nonzero";
    method = ten_str_of(last);
  } else if (callee->kind == PY_ATTRIBUTE &&
             ten_py_value_of(rw->file, ten_py_field_of(callee, PY_F_OBJECT)) & V_TENSOR) {
    method = rw_text(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE));
  }
  for (size_t i = 0; method.size && i < sizeof op_notes / sizeof *op_notes; i++) {
    if (!ten_str_is(method, op_notes[i].name)) continue;
    if (ten_str_is(method, "bincount") && ten_call_keyword(rw->file, call, "minlength")) return;
    if (ten_str_is(method, "repeat_interleave")) {
      ten_py_node *repeats = ten_call_argument(rw->file, call, last ? 1 : 0, "repeats");
      if (!repeats || !(ten_py_value_of(rw->file, repeats) & V_TENSOR) ||
          ten_call_keyword(rw->file, call, "output_size"))
        return;
    }
    ten_note_add(rw, rule, op_notes[i].kind, call, "%s: %s", op_notes[i].name, op_notes[i].text);
    return;
  }
}

/* x[mask], x[mask] = v, x[a:b] = v */
static void indexing(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  ten_py_node *object = ten_py_field_of(node, PY_F_VALUE),
              *index = ten_py_unparen(ten_py_field_of(node, PY_F_SUBSCRIPT));
  if (!index || !(ten_py_value_of(rw->file, object) & V_TENSOR)) return;
  const bool stored = node->parent->kind == PY_ASSIGN && ten_py_field_of(node->parent, PY_F_LEFT) == node;
  ten_py_name *name = index->kind == PY_IDENTIFIER ? ten_name_lookup(rw->file, index, rw_text(rw, index)) : NULL;
  bool mask = index->kind == PY_COMPARE || (index->kind == PY_UNARY_OP && ten_str_starts(rw_text(rw, index), "~"));
  for (const ten_py_binding *b = name ? name->first : NULL; b && !mask; b = b->next) {
    ten_py_node *value = b->how == BIND_ASSIGN ? ten_py_unparen(b->value) : NULL;
    mask = value && value->kind == PY_COMPARE && ten_py_value_of(b->file, ten_py_named(value, 0)) & V_TENSOR;
  }
  if (mask && !stored)
    ten_note_add(rw, rule, TEN_NOTE_RECOMPILE, node,
                 "a boolean mask picks as many elements as the data says; torch.where(mask, x, 0) keeps the shape");
}

static void float64(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *node) {
  char dotted[TEN_DOTTED_MAX];
  if (node->kind == PY_CALL) {
    ten_py_node *callee = ten_py_field_of(node, PY_F_FUNCTION);
    if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "double"))
      return;
    if (!(ten_py_value_of(rw->file, ten_py_field_of(callee, PY_F_OBJECT)) & (V_TENSOR | V_MODULE))) return;
  } else if (!ten_dotted(rw->file, node, dotted) ||
             (strcmp(dotted, "torch.float64") && strcmp(dotted, "torch.double")) ||
             node->parent->kind == PY_ATTRIBUTE) {
    return;
  }
  ten_note_add(rw, rule, TEN_NOTE_FALLBACK, node,
               "float64 is computed in software on a TPU, many times slower; float32 unless the digits are needed");
}

/* x.to_sparse().to(device): the values become dense */
static void sparse_move(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  const ten_py_node *callee = ten_py_field_of(call, PY_F_FUNCTION), *up = call->parent;
  if (!callee || callee->kind != PY_ATTRIBUTE || !rw_is(rw, ten_py_field_of(callee, PY_F_ATTRIBUTE), "to_sparse"))
    return;
  if (!rw->places || !up || up->kind != PY_ATTRIBUTE || call->field != PY_F_OBJECT) return;
  const ten_py_node *move = ten_py_field_of(up, PY_F_ATTRIBUTE);
  if (up->parent->kind != PY_CALL || up->field != PY_F_FUNCTION || !(rw_is(rw, move, "to") || rw_is(rw, move, "cuda")))
    return;
  ten_coverage(rw, ten_rewrite_span(rw, rule, call, call->end, call->end, ".to_dense()"));
  ten_note_add(rw, rule, TEN_NOTE_INFO, call, "sparse tensors do not exist on this device: it is stored whole there");
}

/* pack_padded_sequence(x, n) → pack_padded_sequence(x.cpu(), n).to(device): recurrent layers read the sizes of the
 * batches, which torch_xla does not expose for tensors packed on the device. */
static void packed_sequence(ten_rewrite *rw, const ten_rewrite_rule *rule, ten_py_node *call) {
  char dotted[TEN_DOTTED_MAX];
  if (!rw->places || !ten_dotted(rw->file, ten_py_field_of(call, PY_F_FUNCTION), dotted) ||
      strcmp(dotted, "torch.nn.utils.rnn.pack_padded_sequence"))
    return;
  ten_py_node *input = ten_call_argument(rw->file, call, 0, "input");
  if (!input || ten_str_ends(rw_text(rw, input), ".cpu()") || input->kind == PY_LIST_SPLAT) return;
  const bool plain = input->kind == PY_IDENTIFIER || input->kind == PY_ATTRIBUTE || input->kind == PY_CALL ||
                     input->kind == PY_SUBSCRIPT || input->kind == PY_PAREN;
  const unsigned change = ten_change_begin(rw, rule, call);
  if (!plain) ten_change_edit(rw, change, input->start, input->start, "(");
  bool ok = ten_change_edit(rw, change, input->end, input->end, "%s.cpu()", plain ? "" : ")");
  ok = ok && ten_change_edit(rw, change, call->end, call->end, ".to(%s)", ten_device_expression(rw, call));
  ten_coverage(rw, ok);
}

const ten_rewrite_rule ten_rules_shapes[] = {
    {901,
     "data-shape",
     "a size that depends on the data means a new program for each",
     FOR_BOTH,
     {PY_CALL},
     shape_of_data},
    {902, "mask-index", "a boolean mask has a size that depends on the data", FOR_BOTH, {PY_SUBSCRIPT}, indexing},
    {903, "float64", "TPUs have no float64 units", FOR_BOTH, {PY_CALL, PY_ATTRIBUTE}, float64},
    {904,
     "sparse-move",
     "XLA devices have no sparse tensors: the values are moved dense",
     FOR_XLA,
     {PY_CALL},
     sparse_move},
    {905,
     "packed-sequence",
     "sequences are packed on the host, where recurrent layers read the sizes of their batches",
     FOR_XLA,
     {PY_CALL},
     packed_sequence},
    {0},
};
