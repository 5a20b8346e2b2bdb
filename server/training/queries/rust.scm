[(function_item) (function_signature_item) (macro_definition)] @def
[(struct_item) (enum_item) (trait_item) (impl_item) (mod_item)] @class
[(line_comment) (block_comment)] @comment
