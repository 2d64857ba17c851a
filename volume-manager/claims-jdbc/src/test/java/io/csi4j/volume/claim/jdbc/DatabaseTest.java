package io.csi4j.volume.claim.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.csi4j.volume.claim.spi.ClaimStoreException;
import io.csi4j.volume.claim.spi.ClaimStoreException.Reason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

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

  private static ClaimStoreException refusal(Source source) {
    return Objects.requireNonNull(
        catchThrowableOfType(
            ClaimStoreException.class,
            () -> JdbcClaimStore.open(source(source), JdbcSettings.defaults()).close()));
  }

  private static String trace(Throwable thrown) {
    StringWriter trace = new StringWriter();
    thrown.printStackTrace(new PrintWriter(trace, true));
    return trace.toString();
  }

  @Test
  void aPasswordInTheUrlIsShownNeitherByTheMessageNorByTheStackTrace() {
    ClaimStoreException refusal = refusal(() -> DriverManager.getConnection(URL));

    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refusal)
        .hasMessage(
            "Opening the store of claims failed: the database says 08001 'No suitable driver found"
                + " for jdbc:…'. See that the database runs, and that it can be reached from"
                + " here.");
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

    ClaimStoreException refusal =
        refusal(
            () -> {
              throw pool;
            });

    assertThat(refusal)
        .hasMessageContaining("the database says 08003 'pool: no connection within 30000 ms'.");
    assertThat(trace(refusal)).contains("no connection within").doesNotContain("secret");
  }

  @Test
  void theExceptionOfADriverThatNamesNoUrlIsTheCause() {
    SQLException driver = new SQLException("no route to host", "08001");

    ClaimStoreException refusal =
        refusal(
            () -> {
              throw driver;
            });

    assertThat(refusal).rootCause().isSameAs(driver);
  }

  @Test
  void aPoolThatCannotBeginIsADatabaseThatCannotBeReached() {
    ClaimStoreException refusal =
        refusal(
            () -> {
              throw new IllegalStateException("the pool failed to begin with " + URL);
            });

    assertThat(refusal.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refusal)
        .hasMessageContaining("the database says 'the pool failed to begin with jdbc:…'.");
    assertThat(trace(refusal)).doesNotContain("secret");
  }
}
