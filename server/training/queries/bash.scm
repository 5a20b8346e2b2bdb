(function_definition) @def
(comment) @comment
