package cats
package data

import cats.kernel.Eq
import cats.{Functor, Monad => M}
import scala.collection.immutable.{List => _, _}, scala.util.Try

/**
 * Concatenates in constant time.
 */
@nowarn("msg=unused")
sealed abstract class Chain[+A](val depth: Int, private[data] var hits: Long = 0L)
    extends ChainCompat[A](depth)
    with Product {
  import Chain._

  // The first, if any.
  final def headOption: Option[A] = uncons.map(_._1)

  def map[B](f: A => B)(implicit F: Functor[Chain]): Chain[B] =
    fromSeq(iterator.map(f).toVector)

  def concat[B >: A](other: Chain[B]): Chain[B] = {
    def loop(rest: Chain[B]): Chain[B] = loop(rest.tail)
    if (other.isEmpty) this else new Append(this, loop(other))
  }

  @inline def ++[B >: A](other: Chain[B]): Chain[B] = concat(other)

  val first, second = 1
  lazy val größe: Int = iterator.size
  var visits = 0
  type Self = Chain[A]

  def this(depth: Int) = this(depth, 0L)

  private class Cursor extends Iterator[A] {
    override def hasNext: Boolean = false
  }
}

object Chain extends ChainInstances {
  /** Nothing. */
  private[data] case object Empty extends Chain[Nothing](0)
  final case class Append[A](left: Chain[A], right: Chain[A]) extends Chain[A](1)

  def apply[A](as: A*): Chain[A] = fromSeq(as)
}

sealed trait ChainInstances {
  implicit val monadForChain: M[Chain] = new M[Chain] {
    def pure[A](a: A): Chain[A] = Chain(a)
    val name = "chain"
  }

  implicit def eqForChain[A: Eq]: Eq[Chain[A]] = Eq.instance(_ === _)

  def combine[A](x: Chain[A], y: Chain[A]): Chain[A]
}

enum Color(val rgb: Int) derives CanEqual:
  case Red extends Color(0xff0000)
  case Green, Blue
  case Mix(mix: Int)

  def brighter: Color = this

given intOrd: Ordering[Int] with
  def compare(x: Int, y: Int) = x - y

extension (text: String)
  def shout: String = text.toUpperCase

package object syntax {
  val Unit = ()
}

def top(a: Int) = a max 1

object Main extends App {
  println(Chain(1, 2).map(_ + 1))
}
