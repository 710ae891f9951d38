package io.github.redisstreams.test.shop;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * An application with more than listeners.
 */
@SpringBootApplication
public class ShopApplication {

}
