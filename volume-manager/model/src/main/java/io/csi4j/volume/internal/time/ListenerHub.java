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
 * Notifies the host's listeners of events. Each listener has a bounded queue, and receives one
 * event at a time, in order. The hub holds no lock while a listener runs. The thread that runs a
 * listener exists only while the listener has waiting events.
 *
 * <p>A listener that is slow or throws delays neither the sender nor other listeners. If too many
 * events wait for a listener, some are dropped and counted. If a listener throws, the failure is
 * logged and the listener still receives later events. A listener may use and close the object that
 * notifies it.
 */
public final class ListenerHub {

  private static final System.Logger LOGGER = System.getLogger("io.csi4j.volume");
  private static final int MOST_WAITING = 10_000;

  private final String about;
  private final Executor threads;
  private final Set<Listening<?>> all = ConcurrentHashMap.newKeySet();

  /**
   * The events that wait for one listener, and the number of dropped events. The hub calls all
   * methods under a lock.
   */
  public interface Waiting<E> {

    /** Adds an event, and drops another event if too many are waiting. */
    void add(E event);

    /** Removes and returns the next event to deliver. */
    Optional<E> next();

    /** Whether no event can be delivered now. */
    boolean isEmpty();

    /** Returns the number of waiting events. */
    int size();

    /**
     * Returns the number of events that were dropped since the last call, or 0 if the number should
     * be reported later.
     */
    default int takeDropped() {
      return 0;
    }
  }

  /**
   * Creates a hub without listeners and with its own threads.
   *
   * @param about the subject of the events, for log messages
   * @param name the prefix of the names of the hub's threads
   */
  public ListenerHub(String about, String name) {
    this(about, new OnDemandThreads(name));
  }

  /**
   * Creates a hub without listeners.
   *
   * @param about the subject of the events, for log messages
   * @param threads the threads that run listeners. A task may take long, because it runs a
   *     listener. {@link OnDemandThreads} are closed together with the hub
   */
  public ListenerHub(String about, Executor threads) {
    this.about = about;
    this.threads = threads;
  }

  /**
   * Adds a listener. If more than 10,000 events wait for the listener, the oldest events are
   * dropped.
   */
  public <E> Listening<E> listen(Consumer<? super E> listener) {
    return listen(listener, new NewestOnes<>(), failure -> {});
  }

  /**
   * Adds a listener.
   *
   * @param waiting the queue for the listener's events
   * @param firstFailure receives the first exception of the listener
   */
  public <E> Listening<E> listen(
      Consumer<? super E> listener, Waiting<E> waiting, Consumer<Throwable> firstFailure) {
    Listening<E> listening = new Listening<>(this, listener, waiting, firstFailure);
    all.add(listening);
    return listening;
  }

  /**
   * Rejects new events, and waits until the waiting events are delivered. Then interrupts the
   * listeners that are still running, and ends the threads. If a listener calls this method, the
   * method does not wait, and that listener receives its waiting events later. Closing again has no
   * effect.
   *
   * @param limit the maximum time to wait for the delivery
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

  /** The delivery of events to one listener. */
  public static final class Listening<E> {

    private final ListenerHub hub;
    private final Consumer<? super E> listener;
    private final Consumer<Throwable> firstFailure;

    /**
     * Guards all mutable fields except {@code hasFailed}. It is never held while the listener runs.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition idle = lock.newCondition();
    private final Waiting<E> waiting;
    private boolean isClosed;
    private boolean isStopped;

    /** True from the request for a thread until the queue is empty. */
    private boolean isRunning;

    private @Nullable Thread teller;

    /** Only the delivering thread uses this field. */
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

    /** Notifies the listener of an event. Returns immediately, without waiting for the delivery. */
    public void tell(E event) {
      add(event);
      wake();
    }

    /** Adds an event to the queue. The event is delivered after the next {@link #wake}. */
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

    /**
     * Starts the delivery of added events. If no thread can be started, the next event tries again.
     */
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
        // The JVM throws an error if the machine has no more threads.
        ended();
        LOGGER.log(
            Level.WARNING,
            "No thread could be started to notify a listener " + "of " + hub.about + ".",
            refused);
      }
    }

    /** Closes the delivery. The listener receives neither the waiting events nor later events. */
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

    /** Stops accepting events. Returns whether the listener runs on the current thread. */
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
     * Waits until all events are delivered, at most until the deadline, and closes the delivery. If
     * the listener itself calls this method, it receives the remaining events after it has
     * returned. Returns true if the listener is not running.
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
            "A listener of {0} missed {1} events: it did not take them before this side was "
                + "closed. Make it faster.",
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

    /** Returns the next event. If no event is waiting, ends the run. */
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
            "A listener of {0} missed {1} events: too many were waiting. Make it faster.",
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

    /**
     * Logs a failure of the listener. The first failure is a warning; further failures are logged
     * for debugging. The listener still receives later events.
     */
    private void report(Throwable failure) {
      boolean isFirst = !hasFailed;
      hasFailed = true;
      try {
        LOGGER.log(
            isFirst ? Level.WARNING : Level.DEBUG,
            "A listener of "
                + hub.about
                + " failed. It still receives events; its further failures are logged for "
                + "debugging only. Fix the listener.",
            failure);
        if (isFirst) {
          firstFailure.accept(failure);
        }
      } catch (RuntimeException | Error again) {
        Failures.log(LOGGER, "The failure of a listener could not be reported.", again);
      }
    }
  }

  /**
   * A queue that keeps the newest events. The number of dropped events is reported after all
   * waiting events were taken.
   */
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
