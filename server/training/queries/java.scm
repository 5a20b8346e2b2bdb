[(method_declaration) (constructor_declaration)] @def
[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration)] @class
[(line_comment) (block_comment)] @comment
