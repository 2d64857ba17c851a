package io.csi4j.testkit.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source with a single connection, whose driver the command line names. A store takes the
 * connection for each query and returns it after the query. The connection is closed at the end of
 * this process.
 */
final class JdbcSource {

  /**
   * A URL with a password. Such a URL is refused, because the password would be visible in the
   * process list and in the history of the shell.
   */
  private static final Pattern PASSWORD =
      Pattern.compile("(?i)[?&](password|sslpassword)=|//[^/?#]*:[^/?#]*@");

  private final Driver driver;
  private final String url;
  private final Properties login;

  /** The connection while no query uses it; otherwise null. */
  private final AtomicReference<@Nullable Connection> idle = new AtomicReference<>();

  private JdbcSource(Driver driver, String url, Properties login) {
    this.driver = driver;
    this.url = url;
    this.login = login;
  }

  /**
   * Returns a data source for a database.
   *
   * @param jar the jar of the driver; if absent, the driver is loaded from the class path
   */
  static DataSource of(
      String url, Optional<Path> jar, Optional<String> user, Optional<String> password) {
    if (PASSWORD.matcher(url).find()) {
      throw CommandFailure.usage(
          "The URL of --jdbc has a password, which other users can see. Write it to a file, and"
              + " name the file with --jdbc-password FILE.");
    }
    Properties login = new Properties();
    user.ifPresent(name -> login.setProperty("user", name));
    password.ifPresent(secret -> login.setProperty("password", secret));
    JdbcSource source = new JdbcSource(driver(url, jar), url, login);
    // The proxy implements only getConnection, because stores call no other method.
    return of(DataSource.class, (proxy, method, values) -> source.connection());
  }

  private static Driver driver(String url, Optional<Path> jar) {
    ClassLoader program = JdbcSource.class.getClassLoader();
    ClassLoader loader = jar.map(file -> loader(file, program)).orElse(program);
    return StreamSupport.stream(ServiceLoader.load(Driver.class, loader).spliterator(), false)
        .filter(each -> accepts(each, url))
        .findFirst()
        .orElseThrow(
            () ->
                CommandFailure.usage(
                    jar.map(
                            file ->
                                "There is no JDBC driver for this URL in "
                                    + OneLine.quoted(file.toString())
                                    + ". Name the jar of the PostgreSQL driver, and a URL such as"
                                    + " jdbc:postgresql://db.example/csi4j.")
                        .orElse(
                            "This program contains no JDBC driver. Name its jar with"
                                + " --jdbc-driver JAR.")));
  }

  /**
   * Returns a class loader for the jar. The class loader stays open, because the connection needs
   * it.
   */
  private static ClassLoader loader(Path jar, ClassLoader above) {
    if (!Files.isRegularFile(jar)) {
      throw CommandFailure.usage(
          "There is no file " + OneLine.quoted(jar.toString()) + ". Name the jar of the driver.");
    }
    try {
      return new URLClassLoader(new URL[] {jar.toUri().toURL()}, above);
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean accepts(Driver driver, String url) {
    try {
      return driver.acceptsURL(url);
    } catch (SQLException none) {
      return false;
    }
  }

  private Connection connection() throws SQLException {
    Connection taken = idle.getAndSet(null);
    if (taken == null || taken.isClosed()) {
      taken = driver.connect(url, login);
    }
    if (taken == null) {
      throw new SQLException("The driver does not accept the URL.");
    }
    return lent(taken);
  }

  private Connection lent(Connection connection) {
    return of(
        Connection.class,
        (proxy, method, values) -> {
          if (method.getName().equals("close")) {
            Connection other = idle.getAndSet(connection);
            if (other != null) {
              other.close();
            }
            return null;
          }
          try {
            return method.invoke(connection, values);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
  }

  private static <T> T of(Class<T> type, InvocationHandler answers) {
    return type.cast(
        Proxy.newProxyInstance(JdbcSource.class.getClassLoader(), new Class<?>[] {type}, answers));
  }
}
