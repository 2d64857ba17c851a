package io.csi4j.volume.claim.jdbc;

import dev.failsafe.Execution;
import dev.failsafe.RetryPolicy;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs requests on connections of the host's {@code DataSource}. Each request uses its own
 * connection, which is returned to the pool before the result is returned. An interrupt has no
 * effect until the request has ended, and the thread stays interrupted.
 */
final class Database {

  /**
   * Repeats a statement that was rolled back because of a concurrent write. This is safe, because
   * the statement has changed nothing.
   */
  private static final RetryPolicy<Object> THROWN_BACK =
      RetryPolicy.builder().handleIf(Database::isConflict).withMaxAttempts(20).build();

  /**
   * Prefixes of SQL states which show that a statement was not executed and will not be executed
   * later. They stand for invalid data, violated constraints, missing permissions or tables, a
   * rollback because of a concurrent write, missing space, exceeded limits, and cancellation.
   */
  private static final Set<String> REFUSALS =
      Set.of("0A", "22", "23", "25", "26", "28", "2D", "3D", "3F", "40", "42", "53", "54", "55");

  private static final String CANCELLED = "57014";

  private static final String DIVISION = "22012";

  private static final String FORBIDDEN = "42501";

  /** Prefix of the SQL states of warnings. Notices have another prefix. */
  private static final String WARNED = "01";

  /**
   * Matches a JDBC URL and all text after it. The URL may contain a password, and the password may
   * contain spaces.
   */
  private static final Pattern URL = Pattern.compile("(?is)jdbc:.+");

  private final DataSource source;
  private final int deadline;
  private volatile boolean closed;

  Database(DataSource source, Duration deadline) {
    this.source = Objects.requireNonNull(source, "source");
    this.deadline = Math.toIntExact(deadline.toMillis());
  }

  /** A request on a connection. */
  interface Question<T> {
    T ask(Connection connection) throws SQLException;
  }

  /** A prepared statement with its values. */
  interface Statement<T> {
    T ask(PreparedStatement statement) throws SQLException;
  }

  /** Runs a single statement, which is committed automatically. */
  <T> T ask(String sql, Statement<T> statement) {
    Execution<Object> tries = Execution.of(THROWN_BACK);
    while (true) {
      try {
        return on(
            connection -> {
              try (PreparedStatement prepared = connection.prepareStatement(sql)) {
                return statement.ask(prepared);
              }
            });
      } catch (Failure failure) {
        tries.recordException(failure);
        if (tries.isComplete()) {
          throw failure;
        }
      }
    }
  }

  private static boolean isConflict(Throwable thrown) {
    return thrown.getCause() instanceof SQLException sql && group(state(sql)).equals("40");
  }

  /**
   * Throws the warning of an executed statement, if it has one. If the wait of a commit for a
   * standby was cancelled, the server reports success, and the warning is the only sign of the
   * cancellation.
   */
  static void refuseWarned(PreparedStatement executed) throws SQLException {
    for (SQLWarning each = executed.getWarnings(); each != null; each = each.getNextWarning()) {
      if (group(state(each)).equals(WARNED)) {
        throw each;
      }
    }
  }

  /** Runs a request on a connection that commits each statement automatically. */
  <T> T on(Question<T> question) {
    boolean wasInterrupted = Thread.interrupted();
    try {
      if (closed) {
        throw new Failure(Fate.CLOSED, "the store was closed here", "Open it again", null);
      }
      return onConnection(question);
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T> T onConnection(Question<T> question) {
    Connection connection;
    try {
      connection = source.getConnection();
    } catch (SQLException e) {
      throw failure(Fate.REFUSED, e);
    } catch (RuntimeException e) {
      // A connection pool throws such an exception if it cannot start.
      throw failure(Fate.REFUSED, new SQLException(e.getMessage(), e));
    }
    try {
      return onTime(connection, question);
    } catch (SQLException e) {
      throw failure(fate(e), e);
    } catch (RuntimeException e) {
      throw failure(Fate.UNKNOWN, new SQLException(e.getMessage(), e));
    } finally {
      giveBack(connection);
    }
  }

  /**
   * Returns a connection to its pool. A failure is ignored, because the result of the request is
   * already known, and the pool discards a broken connection.
   */
  private static void giveBack(Connection connection) {
    try {
      connection.close();
    } catch (SQLException | RuntimeException broken) {
      return;
    }
  }

  private <T> T onTime(Connection connection, Question<T> question) throws SQLException {
    boolean commitsBefore = connection.getAutoCommit();
    int limitBefore = limit(connection, deadline);
    try {
      if (!commitsBefore) {
        connection.setAutoCommit(true);
      }
      return question.ask(connection);
    } finally {
      restore(connection, commitsBefore, limitBefore);
    }
  }

  /**
   * Restores the settings of a connection, because the pool may reuse it. A failure is ignored,
   * because the pool detects a broken connection itself.
   */
  private static void restore(Connection connection, boolean commits, int limit) {
    try {
      if (!commits) {
        connection.setAutoCommit(false);
      }
      limit(connection, limit);
    } catch (SQLException | RuntimeException broken) {
      // The result of the request stays valid, and an earlier exception is more informative.
      return;
    }
  }

  /**
   * Sets the time limit for an answer. Returns the former limit, or -1 if the driver does not
   * support limits.
   */
  private static int limit(Connection connection, int millis) throws SQLException {
    if (millis < 0) {
      return -1;
    }
    try {
      int before = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, millis);
      return before;
    } catch (SQLFeatureNotSupportedException e) {
      return -1;
    }
  }

  /** Rejects further requests. Does not close the data source, which belongs to the host. */
  void close() {
    closed = true;
  }

  private static Fate fate(SQLException thrown) {
    String state = state(thrown);
    return state.equals(CANCELLED) || (state.length() == 5 && REFUSALS.contains(group(state)))
        ? Fate.REFUSED
        : Fate.UNKNOWN;
  }

  private Failure failure(Fate fate, SQLException thrown) {
    String state = state(thrown);
    return new Failure(fate, because(state, thrown), remedy(state), withoutUrl(thrown));
  }

  private static String state(SQLException thrown) {
    return thrown.getSQLState() == null ? "" : thrown.getSQLState();
  }

  private static String group(String state) {
    return state.length() < 2 ? "" : state.substring(0, 2);
  }

  private static String because(String state, SQLException thrown) {
    return "the database reports "
        + (state.isEmpty() ? "" : ForeignText.of(state) + " ")
        + "'"
        + ForeignText.clause(line(thrown))
        + "'";
  }

  /**
   * Returns the first line of the driver's message, without a JDBC URL. The other lines are
   * omitted, because they may contain a record.
   */
  private static String line(SQLException thrown) {
    String line = String.valueOf(thrown.getMessage()).lines().findFirst().orElse("").strip();
    return URL.matcher(line).replaceFirst("jdbc:…");
  }

  /**
   * Returns the exception that stack traces may show. This is the exception of the driver, unless
   * its message or one of its causes contains a JDBC URL. In that case, it is a copy without
   * causes, whose message has only one line.
   */
  private static SQLException withoutUrl(SQLException thrown) {
    for (Throwable each : thrown) {
      if (namesUrl(each) || Stream.of(each.getSuppressed()).anyMatch(Database::namesUrl)) {
        SQLException copy =
            new SQLException(line(thrown), thrown.getSQLState(), thrown.getErrorCode());
        copy.setStackTrace(thrown.getStackTrace());
        return copy;
      }
    }
    return thrown;
  }

  private static boolean namesUrl(Throwable thrown) {
    return URL.matcher(String.valueOf(thrown.getMessage())).find();
  }

  private static String remedy(String state) {
    if (state.equals(FORBIDDEN)) {
      return "Let the user read and write the three tables; where they are missing or older, let"
          + " their owner run tables.sql";
    }
    if (state.equals("23502")) {
      return "Let the owner of the tables update them with tables.sql";
    }
    if (state.equals("42P01") || state.equals("42703") || state.equals("3F000")) {
      return "Create the schema and its tables with tables.sql, or configure the schema that has"
          + " them";
    }
    return switch (group(state)) {
      case WARNED -> "Check that the required synchronous standby is running and connected";
      case "28" -> "Correct the user and the password of the data source";
      case "25", "55" -> "Check that the data source connects to the primary, not to a standby";
      case "53" -> "Give the database more space, or allow more connections";
      default -> "Check that the database runs, and that this host can reach it";
    };
  }

  /** Whether a failed request may have been executed. */
  enum Fate {
    /** The request was not executed, and will not be executed later. */
    REFUSED,
    /** It is unknown whether the request was executed. */
    UNKNOWN,
    /** No request was sent, because the store is closed. */
    CLOSED
  }

  /** Thrown when a request failed. The message is the reason as a clause. */
  static final class Failure extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final Fate fate;
    private final String remedy;

    private Failure(Fate fate, String because, String remedy, @Nullable SQLException cause) {
      super(because, cause);
      this.fate = fate;
      this.remedy = remedy;
    }

    Fate fate() {
      return fate;
    }

    /**
     * Whether the statement divided by zero. {@link StoreTables#write} does this on purpose to roll
     * back.
     */
    boolean isDivision() {
      return hasState(DIVISION);
    }

    /** Whether the user lacks the permission for the request. */
    boolean isForbidden() {
      return hasState(FORBIDDEN);
    }

    private boolean hasState(String state) {
      return getCause() instanceof SQLException sql && state(sql).equals(state);
    }

    /** Returns the reason, as a clause. */
    String because() {
      return Objects.requireNonNull(getMessage());
    }

    /** Returns the exception for the caller of the store. */
    RecordStoreException during(String doing) {
      return new RecordStoreException(
          fate == Fate.CLOSED ? Reason.CLOSED : Reason.UNAVAILABLE,
          ForeignText.of(doing) + " failed: " + because() + ". " + remedy + ".",
          this);
    }
  }
}
