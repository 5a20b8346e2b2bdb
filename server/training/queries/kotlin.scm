(function_declaration) @def
[(class_declaration) (object_declaration)] @class
[(line_comment) (block_comment)] @comment
