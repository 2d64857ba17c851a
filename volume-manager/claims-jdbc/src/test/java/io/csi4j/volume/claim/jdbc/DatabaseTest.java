package io.csi4j.volume.claim.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.store.RecordStoreException;
import io.csi4j.volume.store.RecordStoreException.Reason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseTest {

  private static final String URL = "jdbc:nosuch://h/db?user=u&password=two secrets";

  /** The one method of a data source that a store calls. */
  private interface Source {
    Connection connection() throws SQLException;
  }

  private static DataSource source(Source source) {
    return (DataSource)
        Proxy.newProxyInstance(
            DatabaseTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> source.connection());
  }

  private static RecordStoreException refusal(Source source) {
    return Objects.requireNonNull(
        catchThrowableOfType(
            RecordStoreException.class,
            () -> PostgresStore.open(source(source), JdbcSettings.defaults()).close()));
  }

  private static String trace(Throwable thrown) {
    StringWriter trace = new StringWriter();
    thrown.printStackTrace(new PrintWriter(trace, true));
    return trace.toString();
  }

  @Test
  void aPasswordInTheUrlIsShownNeitherByTheMessageNorByTheStackTrace() {
    RecordStoreException refusal = refusal(() -> DriverManager.getConnection(URL));

    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refusal)
        .hasMessage(
            "Opening the store failed: the database reports 08001 'No suitable driver found"
                + " for jdbc:…'. Check that the database runs, and that this host can reach it.");
    assertThat(trace(refusal))
        .contains("SQLException: No suitable driver found for jdbc:…")
        .contains("java.sql.DriverManager.getConnection")
        .doesNotContain("secret")
        .doesNotContain("password=");
  }

  @Test
  void aUrlInWhatIsBehindTheFailureOfAPoolIsNotShownEither() {
    SQLException driver = new SQLException("Cannot connect to " + URL, "08001");
    SQLException pool = new SQLException("pool: no connection within 30000 ms", "08003", 7, driver);

    RecordStoreException refusal =
        refusal(
            () -> {
              throw pool;
            });

    assertThat(refusal)
        .hasMessageContaining("the database reports 08003 'pool: no connection within 30000 ms'.");
    assertThat(trace(refusal)).contains("no connection within").doesNotContain("secret");
  }

  @Test
  void theExceptionOfADriverThatNamesNoUrlIsTheCause() {
    SQLException driver = new SQLException("no route to host", "08001");

    RecordStoreException refusal =
        refusal(
            () -> {
              throw driver;
            });

    assertThat(refusal).rootCause().isSameAs(driver);
  }

  @Test
  void aPoolThatCannotBeginIsADatabaseThatCannotBeReached() {
    RecordStoreException refusal =
        refusal(
            () -> {
              throw new IllegalStateException("the pool failed to begin with " + URL);
            });

    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refusal)
        .hasMessageContaining("the database reports 'the pool failed to begin with jdbc:…'.");
    assertThat(trace(refusal)).doesNotContain("secret");
  }

  /** A connection whose method of this name fails, and that counts how often it was closed. */
  private static Connection failing(String method, Throwable failure, AtomicInteger closed) {
    return (Connection)
        Proxy.newProxyInstance(
            DatabaseTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, called, arguments) -> {
              if (called.getName().equals("close")) {
                closed.incrementAndGet();
              }
              if (called.getName().equals(method)) {
                throw failure;
              }
              Map<Class<?>, Object> answers = Map.of(boolean.class, true, int.class, 0);
              return answers.get(called.getReturnType());
            });
  }

  @ParameterizedTest
  @CsvSource({"40001, 20", "40P01, 20", "55P03, 1", "08006, 1"})
  void aStatementIsAskedAgainOnlyIfAWriteAtTheSameTimeHasThrownItBack(String state, int asked) {
    AtomicInteger closed = new AtomicInteger();
    Connection connection =
        failing("prepareStatement", new SQLException("thrown back", state), closed);
    Database database = new Database(source(() -> connection), Duration.ofSeconds(5));
    Thread.currentThread().interrupt();

    Throwable failure = catchThrowable(() -> database.ask("SELECT 1", statement -> 1));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(failure)
        .isInstanceOf(Database.Failure.class)
        .hasMessage("the database reports " + state + " 'thrown back'");
    assertThat(closed).hasValue(asked);
  }

  @ParameterizedTest
  @ValueSource(strings = {"getAutoCommit", "getNetworkTimeout", "prepareStatement"})
  void aConnectionIsGivenBackHoweverAQuestionEnds(String method) {
    for (Throwable failure :
        List.of(
            new SQLException("broken", "08006"),
            new IllegalStateException("not open"),
            new StackOverflowError("deep"))) {
      AtomicInteger closed = new AtomicInteger();
      Database database =
          new Database(
              source(() -> failing(method, failure, closed)), JdbcSettings.defaults().deadline());

      Throwable thrown =
          catchThrowable(() -> database.ask("SELECT 1", statement -> statement.execute()));

      assertThat(closed).as("given back once after %s", failure).hasValue(1);
      if (failure instanceof Error) {
        assertThat(thrown).isSameAs(failure);
      } else {
        assertThat(((Database.Failure) thrown).fate()).isEqualTo(Database.Fate.UNKNOWN);
      }
    }
  }

  @Test
  void aConnectionThatCannotBeClosedDoesNotHideWhatTheQuestionEndedWith() {
    AtomicInteger closed = new AtomicInteger();
    Database database =
        new Database(
            source(() -> failing("close", new IllegalStateException("evicted"), closed)),
            JdbcSettings.defaults().deadline());

    assertThat(database.<String>on(connection -> "answer")).isEqualTo("answer");
    assertThat(closed).hasValue(1);
  }
}
