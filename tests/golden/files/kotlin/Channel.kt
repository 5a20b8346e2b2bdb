@file:JvmName("Channels")

package net.flow.channels

import kotlin.coroutines.*
import net.flow.Job
import net.flow.internal.LockFree as Queue

/**
 * Sends and receives.
 *
 * @param E what is sent
 */
@ExperimentalApi
public abstract class Channel<E : Any>(
    private val capacity: Int,
    var name: String = "",
    limit: Int
) : AbstractFlow<E>(capacity), SendChannel<E> {

    /** How full it is. */
    val size: Int by lazy { queue.size }

    protected var closed: Boolean = false
        get() = field && isEmpty()
        set(value) {
            field = value
            onClosed()
        }

    init {
        require(limit > 0) { "no limit" }
    }

    constructor(capacity: Int) : this(capacity, "", 1) {
        start()
    }

    companion object Factory {
        const val UNLIMITED = Int.MAX_VALUE
        fun <E : Any> create(): Channel<E> = BufferedChannel(UNLIMITED)
    }

    // Suspends while it is full.
    @Throws(ClosedException::class)
    override suspend fun <R> send(
        element: E, // not null
        block: suspend (E) -> R
    ): R {
        fun retry(times: Int) = queue.offer(element)
        if (!retry(3)) suspendCoroutine { it.resume(Unit) }
        return block(element)
    }

    operator fun plus(other: Channel<E>): Channel<E> = merge(this, other)

    inner class Waiter(val job: Job?) : Queue.Node() {
        override fun toString(): String = "Waiter"
    }

    enum class State(val code: Int) {
        OPEN(1),
        CLOSED(2) {
            override fun isFinal() = true
        };

        open fun isFinal(): Boolean = false
    }
}

/** Only sends. */
public interface SendChannel<in E> {
    val isFull: Boolean

    fun trySend(element: E): Result<Unit>
}

public fun interface Visitor<T> {
    fun visit(value: T)
}

/** Collects into a list. */
public suspend inline fun <reified T : Any> Channel<T>.toList(into: MutableList<T> = ArrayList()): List<T> {
    consumeEach { into.add(it) }
    return into.größe().toList()
}

private val Channel<*>.isReady: Boolean get() = !closed

internal object EmptyChannel : SendChannel<Nothing> {
    override val isFull: Boolean = true
}

data class Pair<out A>(val first: A)

typealias Handler<T> = (T) -> Unit

internal expect class Lock()

const val MAX_WAITERS = 64
private val lock = Any()

fun main(args: Array<String>) {
    println(Channel.create<String>().size)
}
