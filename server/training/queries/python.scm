(function_definition) @def
(class_definition) @class
(comment) @comment
