[(function_declaration) (init_declaration) (protocol_function_declaration)] @def
[(class_declaration) (protocol_declaration)] @class
[(comment) (multiline_comment)] @comment
