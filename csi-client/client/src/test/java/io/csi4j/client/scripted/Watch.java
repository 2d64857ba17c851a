package io.csi4j.client.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.csi4j.client.model.CsiAnswerException;
import io.csi4j.client.model.CsiException;
import io.csi4j.client.model.CsiListener;
import io.csi4j.client.model.CsiRequestException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/**
 * Looks over the shoulder of a client, wherever something can be seen of it from outside: all
 * loggers at ALL, the flight recorder, the output streams, listeners, exceptions, values, threads.
 * What the scripted plugin's own threads do is not looked at.
 */
public final class Watch implements AutoCloseable {

  private final Sightings sightings = new Sightings();
  private final Map<Logger, @Nullable Level> levels = new HashMap<>();
  private final Logger root = Logger.getLogger("");
  private final List<Handler> handlers = List.of(root.getHandlers());
  private final Recording recording = new Recording();
  private final PrintStream out = System.out;
  private final PrintStream err = System.err;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final Handler handler = new Capture();

  /** Begins to look. */
  public Watch() {
    Collections.list(LogManager.getLogManager().getLoggerNames()).stream()
        .map(Logger::getLogger)
        .forEach(this::open);
    open(root);
    handlers.forEach(root::removeHandler);
    root.addHandler(handler);
    for (String event : new String[] {"io.csi4j.CsiCall", "jdk.JavaExceptionThrow"}) {
      recording.enable(event).withoutStackTrace();
    }
    recording.enable("jdk.ThreadStart").withoutStackTrace();
    recording.start();
    PrintStream capture = new PrintStream(printed, true, UTF_8);
    System.setOut(capture);
    System.setErr(capture);
  }

  private void open(Logger logger) {
    levels.put(logger, logger.getLevel());
    logger.setLevel(Level.ALL);
  }

  /** What was seen. */
  public Sightings sightings() {
    return sightings;
  }

  /** A listener that shows all it is told. */
  public CsiListener listener() {
    return new CsiListener() {
      @Override
      public void onStart(Started event) {
        value("listener", event);
      }

      @Override
      public void onEnd(Ended event) {
        value("listener", event);
      }

      @Override
      public void onWarning(Warning event) {
        value("listener warning", event);
      }
    };
  }

  /** Looks at a value: how it prints, and all that can be got from it short of revealing. */
  public void value(String place, @Nullable Object value) {
    Walk.printed(value).forEach(line -> sightings.add(place + ": value", line));
  }

  /** Looks at an exception and all that hangs on it. */
  public void thrown(String place, Throwable thrown) {
    StringWriter trace = new StringWriter();
    thrown.printStackTrace(new PrintWriter(trace));
    sightings.add(place + ": stack trace", trace.toString());
    sightings.add(place + ": toString", thrown.toString());
    if (thrown instanceof CsiException failure) {
      value(place + ": failure", failure.failure());
      value(place + ": advice", failure.advice());
    }
    if (thrown instanceof CsiAnswerException answer) {
      value(place + ": violations", answer.violations());
    }
    if (thrown instanceof CsiRequestException request) {
      value(place + ": violations", request.violations());
    }
    ByteArrayOutputStream serial = new ByteArrayOutputStream();
    try (ObjectOutputStream stream = new ObjectOutputStream(serial)) {
      stream.writeObject(thrown);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sightings.add(place + ": serial form", serial.toString(UTF_8));
  }

  /** Ends looking. */
  @Override
  public void close() {
    if (recording.getState() == RecordingState.CLOSED) {
      return;
    }
    System.setOut(out);
    System.setErr(err);
    root.removeHandler(handler);
    handlers.forEach(root::addHandler);
    levels.forEach(Logger::setLevel);
    sightings.add("standard output", printed.toString(UTF_8));
    Thread.getAllStackTraces().keySet().forEach(each -> sightings.add("thread", each.getName()));
    recording.stop();
    try {
      Path file = Files.createTempFile("canary", ".jfr");
      try {
        recording.dump(file);
        RecordingFile.readAllEvents(file).forEach(this::event);
      } finally {
        Files.delete(file);
        recording.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void event(RecordedEvent event) {
    if (event.getThread() != null && isOfScript(event.getThread().getJavaName())) {
      return;
    }
    for (ValueDescriptor field : event.getFields()) {
      if (field.getTypeName().equals("java.lang.String")) {
        String text = event.getEventType().getName() + " " + event.getString(field.getName());
        sightings.add("flight recorder", text);
      }
    }
  }

  private static boolean isOfScript(@Nullable String thread) {
    return thread != null && thread.startsWith("scripted-");
  }

  /** Shows all of every record. */
  private final class Capture extends Handler {
    Capture() {
      setLevel(Level.ALL);
      setFormatter(new SimpleFormatter());
    }

    @Override
    public void publish(LogRecord record) {
      if (isOfScript(Thread.currentThread().getName())) {
        return;
      }
      String place = "logger " + record.getLoggerName();
      sightings.add(place, getFormatter().formatMessage(record));
      sightings.add(place, Thread.currentThread().getName() + " " + record.getMessage());
      if (record.getParameters() != null) {
        for (Object parameter : record.getParameters()) {
          sightings.add(place, String.valueOf(parameter));
        }
      }
      if (record.getThrown() != null) {
        StringWriter trace = new StringWriter();
        record.getThrown().printStackTrace(new PrintWriter(trace));
        sightings.add(place + " with exception", trace.toString());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
