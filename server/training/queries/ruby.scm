[(method) (singleton_method)] @def
[(class) (module)] @class
(comment) @comment
