package io.csi4j.testkit.cli;

import io.csi4j.testkit.journal.CallJournal;
import io.csi4j.testkit.journal.JournalEvent;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Writes a journal as it grows, on a thread of its own, until it is closed. */
final class JournalFollower implements AutoCloseable {

  private static final long LOOK_EVERY_MILLIS = 50;

  private final CallJournal journal;
  private final PrintWriter out;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private int written;

  private JournalFollower(CallJournal journal, PrintWriter out) {
    this.journal = journal;
    this.out = out;
    this.thread = new Thread(this::follow, "csi4j-cli-journal");
    thread.setDaemon(true);
  }

  /** Follows {@code journal} from its beginning. */
  static JournalFollower start(CallJournal journal, PrintWriter out) {
    JournalFollower follower = new JournalFollower(journal, out);
    follower.thread.start();
    return follower;
  }

  private void follow() {
    try {
      while (!ended.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        writeNew();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writeNew();
  }

  private void writeNew() {
    List<JournalEvent> events = journal.events();
    if (events.size() > written) {
      events.subList(written, events.size()).forEach(event -> out.println(JournalLines.of(event)));
      out.flush();
      written = events.size();
    }
  }

  /** Writes what is left. */
  @Override
  public void close() {
    ended.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
