package io.github.redisstreams.test.autoconfigure;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/**
 * Bootstrapper for {@link StreamListenerTest @StreamListenerTest}.
 */
class StreamListenerTestContextBootstrapper extends TestSliceTestContextBootstrapper<StreamListenerTest> {

}
