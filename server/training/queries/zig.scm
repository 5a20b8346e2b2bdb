(function_declaration) @def
(comment) @comment
