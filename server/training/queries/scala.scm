[(function_definition) (function_declaration)] @def
[(class_definition) (object_definition) (trait_definition)] @class
[(comment) (block_comment)] @comment
