{-# LANGUAGE GADTs #-}
{-# LANGUAGE LambdaCase #-}
-- |
-- Module: Data.Doc.Parser
-- Parses documents.
module Data.Doc.Parser
  ( parseDoc
  , Parser(..)
  ) where

import qualified Data.Map.Strict as M
import Data.Doc.Types (Doc, Block(..))
import Data.Doc.Internal.Text hiding (strip)

-- | Parses a document.
--
-- Empty lines are kept.
parseDoc :: Options
         -> Text      -- ^ the text
         -> Either Error Doc
parseDoc _ "" = Right mempty
parseDoc options text
  | strict options = runStrict blocks
  | otherwise = fmap concat (traverse block (lines text))
  where
    blocks = M.lookup "blocks" table
    block line = Right [Para line]

-- not a haddock comment
helper, helper' :: Int -> Int
helper n = n + 1
helper' = helper . helper

-- | State and result.
data Parser s a
  = Parser
      { runParser :: s -> (a, s)  -- ^ how it runs
      , name :: !Text
      }
  | Failed Error
  deriving (Show, Functor)

newtype Größe = Größe { unGröße :: Int }

type Table = M.Map Text Block

-- | What can be read.
class Monad m => MonadParser m where
  type Input m
  -- | Takes one.
  takeOne :: Input m -> m Char
  skip :: Int -> m ()
  skip 0 = pure ()
  skip n = skip (n - 1)
  {-# MINIMAL takeOne #-}

instance Functor (Parser s) where
  fmap f (Parser run _) = Parser (first f . run) ""
  fmap _ (Failed e) = Failed e

instance (Show s, Eq a) => Eq (Parser s a) where
  a == b = name a == name b

data Value a where
  Number :: Int -> Value Int
  Flag :: Bool -> Value Bool

type family Element c where
  Element Text = Char

infixr 5 <+>

-- | Puts one behind the other.
(<+>) :: Doc -> Doc -> Doc
Doc a <+> Doc b = Doc (a `append` b)

pattern Empty :: Doc
pattern Empty = Doc []

untyped x = case x of
  Just y -> y
  Nothing -> error "none"

deriving instance Eq Größe

main :: IO ()
main = do
  text <- getContents
  print $ parseDoc def text
