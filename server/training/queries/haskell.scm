(declarations [(function) (bind)] @def)
(instance_declarations [(function) (bind)] @def)
(class_declarations [(function) (bind)] @def)
[(data_type) (newtype) (class)] @class
[(comment) (haddock)] @comment
