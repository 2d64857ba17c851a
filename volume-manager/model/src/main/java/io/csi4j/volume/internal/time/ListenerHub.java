package io.csi4j.volume.internal.time;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listeners of a host what happens. Each has a queue with a bound. It is told one event
 * at a time, in order and under no lock, on a thread that it has only while an event waits for it.
 *
 * <p>A listener that is slow or throws harms neither the teller nor another listener: where too
 * many events wait for it, some are dropped and counted; a failure is logged, and it is told the
 * next event. It may use and close what it is told of.
 */
public final class ListenerHub {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final int MOST_WAITING = 10_000;

  private final String about;
  private final Executor threads;
  private final Set<Listening<?>> all = ConcurrentHashMap.newKeySet();

  /** The events that wait for one listener, and what is dropped of them. Used under a lock. */
  public interface Waiting<E> {

    /** Adds an event, and drops others if there are too many. */
    void add(E event);

    /** Removes and returns the next event to tell. */
    Optional<E> next();

    /** Returns whether there is no next event. */
    boolean isEmpty();

    /** Returns how many events wait. */
    int size();

    /** Returns how many events were dropped of which no event tells; each is counted once. */
    default int takeDropped() {
      return 0;
    }
  }

  /**
   * A hub without listeners, which has threads of its own.
   *
   * @param about what the listeners are told of, for the log
   * @param name what the names of its threads begin with
   */
  public ListenerHub(String about, String name) {
    this(about, new OnDemandThreads(name));
  }

  /**
   * A hub without listeners.
   *
   * @param about what the listeners are told of, for the log
   * @param threads where they are told; a task takes as long as its listener. {@link
   *     OnDemandThreads} end when the hub is closed.
   */
  public ListenerHub(String about, Executor threads) {
    this.about = about;
    this.threads = threads;
  }

  /** Adds a listener; of more than 10 000 events that wait for it the oldest are dropped. */
  public <E> Listening<E> listen(Consumer<? super E> listener) {
    return listen(listener, new NewestOnes<>(), failure -> {});
  }

  /**
   * Adds a listener.
   *
   * @param waiting the events that wait for it
   * @param firstFailure given what it throws first
   */
  public <E> Listening<E> listen(
      Consumer<? super E> listener, Waiting<E> waiting, Consumer<Throwable> firstFailure) {
    Listening<E> listening = new Listening<>(this, listener, waiting, firstFailure);
    all.add(listening);
    return listening;
  }

  /**
   * Takes no more events, waits until those that wait are told, then interrupts listeners that
   * still are being told, and ends the threads. When it is a listener that closes, nothing is
   * waited for, and it is told what waits for it after that. Closing twice does no harm.
   *
   * @param limit how long is waited
   */
  public void close(Duration limit) {
    boolean isInListener = false;
    for (Listening<?> each : all) {
      isInListener |= each.stopTaking();
    }
    long deadline = System.nanoTime() + (isInListener ? 0 : limit.toNanos());
    boolean isQuiet = true;
    for (Listening<?> each : all) {
      isQuiet &= each.stop(deadline);
    }
    if (threads instanceof OnDemandThreads own) {
      own.close();
      own.await(isQuiet ? limit : Duration.ZERO);
    }
  }

  /** The way to one listener. */
  public static final class Listening<E> {

    private final ListenerHub hub;
    private final Consumer<? super E> listener;
    private final Consumer<Throwable> firstFailure;

    /** Guards all that changes, but for the last field; never held while the listener is told. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition idle = lock.newCondition();
    private final Waiting<E> waiting;
    private boolean isClosed;
    private boolean isStopped;

    /** From the moment when a thread is asked for until nothing waits. */
    private boolean isRunning;

    private @Nullable Thread teller;

    /** Only the thread that tells uses it. */
    private boolean hasFailed;

    private Listening(
        ListenerHub hub,
        Consumer<? super E> listener,
        Waiting<E> waiting,
        Consumer<Throwable> firstFailure) {
      this.hub = hub;
      this.listener = listener;
      this.waiting = waiting;
      this.firstFailure = firstFailure;
    }

    /** Tells the listener; returns at once. */
    public void tell(E event) {
      add(event);
      wake();
    }

    /** Puts an event behind the others, to be told after {@link #wake}. */
    public void add(E event) {
      lock.lock();
      try {
        if (!isClosed) {
          waiting.add(event);
        }
      } finally {
        lock.unlock();
      }
    }

    /** Tells what was added. If there is no thread for it, that is tried again with the next. */
    public void wake() {
      lock.lock();
      try {
        if (isRunning || isStopped || waiting.isEmpty()) {
          return;
        }
        isRunning = true;
      } finally {
        lock.unlock();
      }
      try {
        hub.threads.execute(this::run);
      } catch (RuntimeException | Error refused) {
        // An error is how the JVM says that the machine gives no more threads.
        ended();
        LOGGER.log(
            Level.WARNING, "No thread was given to tell a listener of " + hub.about + ".", refused);
      }
    }

    /** Ends it: the listener is not told what waits, and nothing more. */
    public void close() {
      hub.all.remove(this);
      lock.lock();
      try {
        isClosed = true;
        isStopped = true;
      } finally {
        lock.unlock();
      }
    }

    /** Takes no more events; returns whether the listener is being told on this thread. */
    private boolean stopTaking() {
      lock.lock();
      try {
        isClosed = true;
        return teller == Thread.currentThread();
      } finally {
        lock.unlock();
      }
    }

    /**
     * Waits until all is told, at most until then, and ends it; a listener that closes is told on
     * once it has returned. Returns whether it is not being told.
     */
    private boolean stop(long deadline) {
      int left;
      boolean isQuiet;
      wake();
      lock.lock();
      try {
        if (teller == Thread.currentThread()) {
          return false;
        }
        awaitIdle(deadline);
        isStopped = true;
        left = waiting.size();
        isQuiet = !isRunning;
        if (teller != null) {
          teller.interrupt();
        }
      } finally {
        lock.unlock();
      }
      if (left > 0) {
        LOGGER.log(
            Level.WARNING,
            "A listener of {0} was not told {1} events, as it did not take them before this side was"
                + " closed. Make it faster.",
            hub.about,
            left);
      }
      return isQuiet;
    }

    private void awaitIdle(long deadline) {
      try {
        long left = deadline - System.nanoTime();
        while (isRunning && left > 0) {
          left = idle.awaitNanos(left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private void run() {
      for (Optional<E> event = next(); event.isPresent(); event = next()) {
        tellNow(event.get());
      }
    }

    /** Returns the next event; ends the run if there is none. */
    private Optional<E> next() {
      int dropped;
      Optional<E> event;
      lock.lock();
      try {
        teller = Thread.currentThread();
        event = isStopped ? Optional.empty() : waiting.next();
        dropped = waiting.takeDropped();
        if (event.isEmpty()) {
          ended();
        }
      } finally {
        lock.unlock();
      }
      if (dropped > 0) {
        LOGGER.log(
            Level.WARNING,
            "A listener of {0} was not told {1} events, as too many waited. Make it faster.",
            hub.about,
            dropped);
      }
      return event;
    }

    private void ended() {
      lock.lock();
      try {
        isRunning = false;
        teller = null;
        idle.signalAll();
      } finally {
        lock.unlock();
      }
    }

    private void tellNow(E event) {
      try {
        listener.accept(event);
      } catch (Throwable failure) {
        report(failure);
      }
    }

    /** Logs a failure of the listener, the first one for people; that harms no further event. */
    private void report(Throwable failure) {
      boolean isFirst = !hasFailed;
      hasFailed = true;
      try {
        LOGGER.log(
            isFirst ? Level.WARNING : Level.DEBUG,
            "A listener of "
                + hub.about
                + " failed. It is told of further events, and its further failures are logged for"
                + " debugging only. Repair it.",
            failure);
        if (isFirst) {
          firstFailure.accept(failure);
        }
      } catch (RuntimeException | Error again) {
        Failures.log(LOGGER, "The failure of a listener could not be reported.", again);
      }
    }
  }

  /** The newest events; those dropped are told of when all others are taken. */
  private static final class NewestOnes<E> implements Waiting<E> {

    private final Deque<E> events = new ArrayDeque<>();
    private int dropped;

    @Override
    public void add(E event) {
      if (events.size() == MOST_WAITING) {
        events.removeFirst();
        dropped++;
      }
      events.addLast(event);
    }

    @Override
    public Optional<E> next() {
      return Optional.ofNullable(events.poll());
    }

    @Override
    public boolean isEmpty() {
      return events.isEmpty();
    }

    @Override
    public int size() {
      return events.size();
    }

    @Override
    public int takeDropped() {
      int count = events.isEmpty() ? dropped : 0;
      dropped -= count;
      return count;
    }
  }
}
