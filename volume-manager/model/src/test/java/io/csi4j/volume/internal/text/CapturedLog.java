package io.csi4j.volume.internal.text;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Records what a logger is given, in the place of the log, until it is closed. */
public final class CapturedLog extends Handler implements AutoCloseable {

  private static final Formatter MESSAGES =
      new Formatter() {
        @Override
        public String format(LogRecord line) {
          return formatMessage(line);
        }
      };

  private final Logger logger;
  private final List<LogRecord> records = new CopyOnWriteArrayList<>();

  private CapturedLog(String logger) {
    this.logger = Logger.getLogger(logger);
    this.logger.addHandler(this);
    this.logger.setUseParentHandlers(false);
  }

  /** Records what the logger with this name, and those below it, are given from now on. */
  public static CapturedLog of(String logger) {
    return new CapturedLog(logger);
  }

  /** Records what the modules of the volume manager log from now on. */
  public static CapturedLog ofVolumes() {
    return of("io.csi4j.volume");
  }

  @Override
  public void publish(LogRecord line) {
    records.add(line);
  }

  /** Returns what was logged, in order. */
  public List<LogRecord> records() {
    return List.copyOf(records);
  }

  /** Returns the messages of this level or above, in order. */
  public List<String> messages(Level least) {
    return records.stream()
        .filter(line -> line.getLevel().intValue() >= least.intValue())
        .map(MESSAGES::format)
        .toList();
  }

  /** Returns the warnings and errors, in order. */
  public List<String> warnings() {
    return messages(Level.WARNING);
  }

  @Override
  public void flush() {
    // A list has nothing to flush.
  }

  @Override
  public void close() {
    logger.removeHandler(this);
    logger.setUseParentHandlers(true);
  }
}
